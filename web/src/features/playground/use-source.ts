import { useState } from 'react';
import { useLocation, useNavigate, type Location } from 'react-router-dom';
import { readHandoff } from '@/lib/playground-link';
import { decodeShare, sharedPart, type SharedState } from './share-state';

/** What an address asks the playground to open. */
export interface Source {
  /** Changes with every address that asks for something else. */
  id: string;
  promptKey: string | undefined;
  template: string | undefined;
  shared: SharedState | undefined;
  /** The address carries a shared state that cannot be read. */
  damaged: boolean;
}

function readSource(location: Location): Source {
  const query = new URLSearchParams(location.search);
  const encoded = sharedPart(location);
  const shared = encoded === undefined ? undefined : decodeShare(encoded);
  return {
    id: location.key,
    promptKey: shared?.prompt ?? query.get('prompt') ?? undefined,
    template: shared?.template ?? readHandoff(query),
    shared,
    damaged: encoded !== undefined && shared === undefined,
  };
}

interface OwnState {
  /** The playground itself wrote this address. */
  isOwn?: boolean;
}

/** The source in the address, unless the playground wrote that address to say what it shows. */
export function useSource(): Source {
  const location = useLocation();
  const [seenKey, setSeenKey] = useState(location.key);
  const [source, setSource] = useState(() => readSource(location));
  if (seenKey !== location.key) {
    setSeenKey(location.key);
    const state = location.state as OwnState | null;
    if (state?.isOwn !== true) setSource(readSource(location));
  }
  return source;
}

/** Writes the chosen prompt into the address, so that a reload opens it again. */
export function useShowInAddress(): (promptKey: string | undefined) => void {
  const navigate = useNavigate();
  return (promptKey) => {
    const search =
      promptKey === undefined ? '' : new URLSearchParams({ prompt: promptKey }).toString();
    const state: OwnState = { isOwn: true };
    void navigate({ search, hash: '' }, { replace: true, state, preventScrollReset: true });
  };
}

import { useNavigate } from 'react-router-dom';
import { paths } from '@/config/paths';
import { copyText } from '@/lib/copy-text';
import { useShortcut } from '@/lib/shortcuts';

interface ShownVersion {
  promptId: number;
  /** The number of the version on screen. */
  shown: number;
  /** The number of the newest one. */
  newest: number;
}

/** `y` copies a link to exactly this version, `[` and `]` step through the versions. */
export function useVersionShortcuts({ promptId, shown, newest }: ShownVersion): void {
  const navigate = useNavigate();
  const hrefOf = (version: number) => paths.promptVersion.getHref(promptId, `v${String(version)}`);
  useShortcut('y', () => {
    void copyText(`${window.location.origin}${hrefOf(shown)}`, `Link to v${String(shown)} copied`);
  });
  useShortcut('[', () => {
    if (shown > 1) void navigate(hrefOf(shown - 1));
  });
  useShortcut(']', () => {
    if (shown < newest) void navigate(hrefOf(shown + 1));
  });
}

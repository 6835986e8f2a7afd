import { ClipboardPaste, Download, Share2 } from 'lucide-react';
import { PageHeader } from '@/components/page-header';
import { Button } from '@/components/ui/button';
import { exportPlayground, readClipboard, sharePlayground } from '@/features/playground/transfer';
import {
  usePlayground,
  type InitialState,
  type Playground,
} from '@/features/playground/use-playground';
import { useModShortcut } from '@/hooks/use-mod-shortcut';
import { ResultPanel } from './result-panel';
import { TemplatePanel } from './template-panel';
import { VariablesPanel } from './variables-panel';

interface PlaygroundWorkbenchProps {
  initial: InitialState;
  /** Why the playground did not open with what its address asked for. */
  notice: string | undefined;
}

export function PlaygroundWorkbench({ initial, notice }: PlaygroundWorkbenchProps) {
  const playground = usePlayground(initial);
  useModShortcut('enter', () => void playground.run());
  return (
    <>
      <PageHeader
        title="Playground"
        subtitle="Fill in a template and compile it"
        actions={<TransferActions playground={playground} />}
      />
      {notice !== undefined && (
        <p
          role="alert"
          className="mb-6 rounded-lg border border-warning/30 bg-warning-soft px-4 py-3 text-sm"
        >
          {notice}
        </p>
      )}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <TemplatePanel playground={playground} />
        <div className="lg:sticky lg:top-20 lg:row-span-2">
          <VariablesPanel playground={playground} />
        </div>
        <ResultPanel playground={playground} />
      </div>
    </>
  );
}

function TransferActions({ playground }: { playground: Playground }) {
  const importText = async () => {
    const text = await readClipboard();
    if (text !== undefined) playground.replace(text);
  };
  const isEmpty = playground.template === '';
  return (
    <>
      <Button onClick={() => void importText()}>
        <ClipboardPaste aria-hidden="true" />
        Import from Clipboard
      </Button>
      <Button
        disabled={isEmpty}
        onClick={() => {
          exportPlayground(playground);
        }}
      >
        <Download aria-hidden="true" />
        Export
      </Button>
      <Button disabled={isEmpty} onClick={() => void sharePlayground(playground)}>
        <Share2 aria-hidden="true" />
        Share
      </Button>
    </>
  );
}

import { useEffect, useRef, useState } from 'react';
import { Card } from '@/components/ui/card';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import type { Playground } from '@/features/playground/use-playground';
import { CompiledOutput } from './compiled-output';
import { TestingTab } from './testing-tab';

/** The output and, one day, the tests. A new result opens the output and comes into view. */
export function ResultPanel({ playground }: { playground: Playground }) {
  const panel = useRef<HTMLDivElement>(null);
  const [tab, setTab] = useState('output');
  const [shown, setShown] = useState(playground.compiled);
  if (shown !== playground.compiled) {
    setShown(playground.compiled);
    setTab('output');
  }
  useEffect(() => {
    if (shown) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  return (
    <Card ref={panel} className="min-w-0 scroll-mt-20 scroll-mb-6">
      <Tabs value={tab} onValueChange={setTab}>
        <TabsList aria-label="Result" className="px-3">
          <TabsTrigger value="output">Output</TabsTrigger>
          <TabsTrigger value="testing">Testing</TabsTrigger>
        </TabsList>
        <TabsContent value="output" className="px-5 pb-5">
          <CompiledOutput playground={playground} />
        </TabsContent>
        <TabsContent value="testing" className="px-5 pb-5">
          <TestingTab />
        </TabsContent>
      </Tabs>
    </Card>
  );
}

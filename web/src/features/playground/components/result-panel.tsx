import { Card } from '@/components/ui/card';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import type { Playground } from '@/features/playground/use-playground';
import { CompiledOutput } from './compiled-output';
import { TestingTab } from './testing-tab';

export function ResultPanel({ playground }: { playground: Playground }) {
  return (
    <Card className="min-w-0">
      <Tabs defaultValue="output">
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

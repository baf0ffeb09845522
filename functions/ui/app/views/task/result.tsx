import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Copy } from '../../components/copy.tsx'
import { Diff } from '../../components/diff.tsx'
import { PlainText } from '../../components/plain-text.tsx'
import { RichText } from '../../components/rich-text.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { Panel } from '../../components/view.tsx'
import { FromMemory } from './from-memory.tsx'

/** Fields of a result that are shown in a form of their own. */
const SHOWN = ['success', 'output', 'diff', 'filesChanged', 'published', 'memory']

/** What the agent gave back: its words, what it changed, and whatever else it said. */
export const Result = ({ result }: { result: NonNullable<Task['result']> }) => {
  const { output, diff, model } = result
  // A model writes Markdown; what other agents give back may be any text.
  const Words = typeof model === 'string' ? RichText : PlainText
  const rest = Object.entries(result).filter(([name]) => !SHOWN.includes(name))
  return (
    <>
      <Panel title="Result" aside={<Copy text={output} label="Copy the output" />}>
        <Scroller label="Output" className="max-h-[32rem] overflow-y-auto px-3.5 py-3">
          {output ? <Words text={output} /> : <span className="text-muted-foreground">No output</span>}
        </Scroller>
        {rest.length > 0 && (
          <details className="border-t">
            <summary className="px-3.5 py-2 text-muted-foreground hover:bg-muted">Details of the run</summary>
            <pre className="px-3.5 pb-3 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
              {JSON.stringify(Object.fromEntries(rest), null, 2)}
            </pre>
          </details>
        )}
      </Panel>
      <FromMemory memory={result.memory} />
      {typeof diff === 'string' && diff !== '' && (
        <Panel title="Changes" aside={<Copy text={diff} label="Copy the diff" />}>
          <Diff text={diff} />
        </Panel>
      )}
    </>
  )
}

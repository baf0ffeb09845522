import { type ReactNode, useState } from 'react'
import { ownOutput } from '../../../../../lib/core/own-output.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Copy } from '../../components/copy.tsx'
import { PlainText, TextPieces } from '../../components/plain-text.tsx'
import { RichText } from '../../components/rich-text.tsx'
import { Segments } from '../../components/segments.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { ChangedFiles } from './changed-files.tsx'
import { Denied } from './denied.tsx'
import { Failure } from './failure.tsx'
import { FromMemory } from './from-memory.tsx'
import { Reported } from './reported.tsx'

/** Fields with their own presentation. */
const WARNINGS = ['costWarning', 'sessionWarning', 'questionWarning'] as const
const SHOWN: readonly string[] = [
  ...['success', 'output', 'diff', 'filesChanged', 'published', 'memory', 'denied', 'question'],
  ...WARNINGS,
]

type Props = {
  task: Task
  isOver: boolean
  /** It is shown above the prompt. */
  isReasonAbove?: boolean
  /** The commands that its agent ran. */
  commands?: ReactNode
}

export const Output = ({ task, isOver, isReasonAbove = false, commands }: Props) => {
  const { error, result, status } = task
  const hasFailed = error !== undefined && status !== 'completed'
  return (
    <div className="flex flex-col divide-y">
      {!isReasonAbove && <Reason task={task} isOver={isOver} />}
      {result && <Words result={result} error={hasFailed ? error : undefined} />}
      <ChangedFiles task={task} />
      {commands}
      {WARNINGS.map((name) => {
        const warning = result?.[name]
        return (
          typeof warning === 'string' && (
            <p key={name} className="px-3.5 py-2 [overflow-wrap:anywhere]">
              {startOfLine(warning)}
            </p>
          )
        )
      })}
      {result && <Denied denied={result.denied} />}
      {result && <FromMemory taskId={task.id} memory={result.memory} />}
      <Reported task={task} />
      {result && <Details result={result} />}
      {!hasFailed && !result && (
        <p className="px-3.5 py-3 text-muted-foreground">
          {isOver ? 'No output.' : 'The output appears here when the task ends.'}
        </p>
      )}
    </div>
  )
}

/** Renders nothing for a task without an error, and for one that completed after it. */
export const Reason = ({ task, isOver }: { task: Task; isOver: boolean }) =>
  task.error && task.status !== 'completed' ? (
    <Failure
      error={task.error}
      title={isOver ? 'Why it failed' : 'Why the last attempt failed'}
      fingerprint={failureGroup(task)}
    />
  ) : null

/** The service states it of a failed task. */
const failureGroup = (task: Task): string | undefined => {
  const { fingerprint } = task as { fingerprint?: unknown }
  return typeof fingerprint === 'string' ? fingerprint : undefined
}

/** A failure has no section for an output that says nothing more. */
const Words = ({ result, error }: { result: { output: string }; error: Task['error'] }) => {
  const output = ownOutput({ result, error })
  if (output === '' && error !== undefined) return null
  return (
    <section aria-label="Result">
      <FinalText output={output} />
    </section>
  )
}

/** What else the agent left, after all that has words of its own. */
const Details = ({ result }: { result: NonNullable<Task['result']> }) => {
  const rest = Object.entries(result).filter(([name]) => !SHOWN.includes(name))
  if (rest.length === 0) return null
  return (
    <details>
      <summary className="px-3.5 py-2 text-muted-foreground hover:bg-muted">Details of the run</summary>
      <pre className="px-3.5 pb-3 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
        <TextPieces text={JSON.stringify(Object.fromEntries(rest), null, 2)} />
      </pre>
    </details>
  )
}

export const FinalText = ({ output }: { output: string }) => {
  const [form, setForm] = useState<'rendered' | 'written'>('rendered')
  const Text = form === 'rendered' ? RichText : PlainText
  return (
    <>
      <div className="flex items-center justify-end gap-1 px-3.5 pt-1.5">
        <Segments
          label="Output format"
          value={form}
          options={{ rendered: 'Rendered', written: 'Source' }}
          onChange={setForm}
        />
        <Copy text={output} label="Copy the output" />
      </div>
      <section aria-label="Output" className="min-w-0 px-3.5 pb-3 text-[0.9375rem]">
        {output ? <Text text={output} /> : <span className="text-muted-foreground">No output</span>}
      </section>
    </>
  )
}

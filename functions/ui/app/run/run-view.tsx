import { Brain } from 'lucide-react'
import { memo, useState } from 'react'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { cutText } from '../../../../lib/core/cut-text.ts'
import type { Scope } from '../approvals/scope.ts'
import { WaitingCalls } from '../approvals/waiting-calls.tsx'
import { Facts } from '../components/facts.tsx'
import { formatNumber } from '../components/format.ts'
import { TextPieces } from '../components/plain-text.tsx'
import { errorMessage } from '../components/problem.tsx'
import { RichText } from '../components/rich-text.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { formatDuration } from '../components/time.ts'
import { Windowed } from '../components/windowed.tsx'
import type { Followed } from '../data/sessions.ts'
import { adviceFor, isWithoutProvider } from './advice.ts'
import { NoProvider } from './no-provider.tsx'
import { type Note, type Part, type Run, runCalls, runSteps, type Step, settled, type Words } from './run.ts'
import { ToolCall, WaitingRow } from './tool-call.tsx'

type Props = {
  followed: Followed
  scope: Scope
  isOver: boolean
  /** Collapses all steps but the last. */
  isFolded?: boolean
  /** Hides the error, and folds the last step as well, whose text is the output: both are shown elsewhere. */
  hidesEnd?: boolean
  /** The code of the error that its task ended with. */
  endCode?: string | undefined
}

export const RunView = ({ followed, scope, isOver, isFolded = isOver, hidesEnd = false, endCode }: Props) => {
  const { connection, error } = followed
  if (error !== undefined) return <Trouble code={errorCode(error)} message={errorMessage(error)} />
  if (connection === 'opening') return <SkeletonRows count={3} />
  const run = isOver ? settled(followed.run, endCode) : followed.run
  const last = run.entries.at(-1)
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Windowed
        items={run.entries}
        getKey={({ key }) => key}
        draw={(entry) =>
          entry.kind === 'note' ? (
            <NoteLine note={entry} />
          ) : (
            <StepView
              step={entry}
              isBare={!hasSteps(run)}
              isFolded={isFolded && (hidesEnd || entry !== last)}
              scope={scope}
            />
          )
        }
        itemPx={(entry) => entryHeight(entry, isFolded)}
        atOnce={5}
        className="flex min-w-0 flex-col gap-3"
      />
      {hasUnseenSummary(run) && <RichText text={run.summary ?? ''} />}
      {run.isWaiting && <WaitingCalls scope={scope} />}
      {run.end?.kind === 'error' && !hidesEnd && <Trouble {...run.end} isOfTask={'taskId' in scope} />}
      <Footer run={run} connection={connection} />
    </div>
  )
}

const STEP_PX = 32
const CALL_PX = 42

const entryHeight = (entry: Step | Note, isFolded: boolean): number =>
  entry.kind === 'note' || isFolded ? STEP_PX : STEP_PX + entry.parts.length * CALL_PX

/** Steps are not named in an answer without tools. */
const hasSteps = (run: Run) => run.entries.length > 1 || runCalls(run).length > 0

/** The summary is shown only if it was not already said. */
const hasUnseenSummary = ({ summary = '', ...run }: Run) => {
  const lastText = runSteps(run as Run)
    .at(-1)
    ?.parts.findLast(({ kind }) => kind === 'text') as Words | undefined
  return summary !== '' && lastText === undefined
}

const errorCode = (error: unknown) => (error instanceof ApiError ? error.code : '')

const notes: Readonly<Record<Note['tone'], string>> = {
  plain: 'text-muted-foreground',
  late: 'text-queued',
  bad: 'text-destructive',
}

const NoteLine = ({ note: { tone, text } }: { note: Note }) => (
  <p className={`border-b pb-1 font-medium [overflow-wrap:anywhere] ${notes[tone]}`}>
    <TextPieces text={text} />
  </p>
)

const MOST_NAMED = 2
const MOST_LETTERS = 60

/** `write_file notes.md, run_command npm test and 3 more` */
const callsText = (titles: readonly string[]): string => {
  const more = titles.length - MOST_NAMED
  const named = titles.slice(0, MOST_NAMED).map((title) => cutText(title, MOST_LETTERS))
  return `${named.join(', ')}${more > 0 ? ` and ${formatNumber(more)} more` : ''}`
}

type StepProps = { step: Step; isBare: boolean; isFolded: boolean; scope: Scope }

const StepView = memo(({ step, isBare, isFolded, scope }: StepProps) => {
  // Fixed at first render, so that steps do not collapse while they are read.
  const [isOpen] = useState(!isFolded)
  const { number, parts, tookMs } = step
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [part.title] : []))
  const content = (
    <div className="flex min-w-0 flex-col gap-2">
      <Windowed
        items={parts}
        getKey={({ key }) => key}
        draw={(part) => <PartView part={part} scope={scope} />}
        itemPx={CALL_PX}
        className="flex min-w-0 flex-col gap-2"
      />
    </div>
  )
  if (isBare) return content
  return (
    <details open={isOpen}>
      <summary className="mb-1.5 text-xs text-muted-foreground">
        Step {number}
        {calls.length > 0 && (
          // Open, it shows the calls themselves.
          <span className="[details[open]>summary>&]:hidden"> · {callsText(calls)}</span>
        )}
        {tookMs !== undefined && ` · ${formatDuration(tookMs)}`}
      </summary>
      {content}
    </details>
  )
})

const PartView = ({ part, scope }: { part: Part; scope: Scope }) => {
  if (part.kind === 'call')
    return part.state === 'waiting' ? (
      <WaitingRow call={part} scope={scope} />
    ) : (
      <ToolCall call={part} scope={scope} />
    )
  if (part.kind === 'text') return <RichText text={part.text} />
  return <Thinking words={part} />
}

const Thinking = ({ words: { text, isOpen } }: { words: Words }) => (
  <details open={isOpen} className="rounded-md bg-muted/60">
    <summary className="flex items-center gap-2 rounded-md px-2.5 py-1.5 text-xs text-muted-foreground hover:bg-muted">
      <Brain size={14} /> {isOpen ? 'Thinking' : 'Thought'}
    </summary>
    <div className="px-2.5 pb-2 text-muted-foreground italic [overflow-wrap:anywhere] whitespace-pre-wrap">
      <TextPieces text={text} />
    </div>
  </details>
)

const bad = 'border-failed/40 bg-failed/8'
const isWanted = (code: string) => code.toLowerCase() === 'cancelled'

type TroubleProps = { code: string; message: string; isOfTask?: boolean }

export const Trouble = ({ code, message, isOfTask = false }: TroubleProps) => (
  <div role="alert" className={`rounded-md border px-3 py-2 ${isWanted(code) ? 'bg-muted/60' : bad}`}>
    <p className={`[overflow-wrap:anywhere] ${isWanted(code) ? 'font-medium' : 'text-destructive'}`}>
      <TextPieces text={message} />
    </p>
    <p className="text-muted-foreground">
      {isWithoutProvider(code) ? <NoProvider /> : !isOfTask && adviceFor(code)}
    </p>
  </div>
)

const ends: Readonly<Record<string, string>> = {
  max_steps: 'Stopped at its step limit before it was done.',
  budget: 'Stopped at its token budget before it was done.',
  length: 'The answer reached the maximum length of the model.',
  'content-filter': 'The provider cut off the answer.',
}

const Footer = ({ run, connection }: { run: Run; connection: Followed['connection'] }) => {
  const early = run.end?.kind === 'complete' ? ends[run.end.finishReason] : undefined
  return (
    <>
      {early && <p className="text-queued">{early}</p>}
      {run.end?.kind === 'complete' && run.end.notice && (
        <p className="text-xs text-muted-foreground">
          <TextPieces text={run.end.notice} />
        </p>
      )}
      <p role="status" className="text-xs text-muted-foreground">
        <Facts
          facts={[
            connection === 'lost' && (
              <span key="lost" className="text-queued">
                Connection lost, reconnecting
              </span>
            ),
            ...facts(run, connection),
          ]}
        />
      </p>
    </>
  )
}

const tokensLabel = ({ usedTokens, maxBudget }: Run) =>
  `${formatNumber(usedTokens)}${maxBudget === undefined ? '' : ` of ${formatNumber(maxBudget)}`} tokens`

const modelLabel = ({ model = '', provider = '' }: Run) =>
  model === provider ? model : `${provider}/${model}`

const progressFacts = (run: Run, number: number): string[] => [
  run.isWaiting ? 'Waiting for approval' : 'Working',
  number > 0 ? `step ${number}${run.maxSteps === undefined ? '' : ` of ${run.maxSteps}`}` : '',
  tokensLabel(run),
]

const outcomeFacts = (run: Run, number: number): string[] => [
  number > 1 ? `${number} steps` : '',
  run.usedTokens > 0 ? tokensLabel(run) : '',
]

const facts = (run: Run, connection: Followed['connection']): string[] => {
  const number = runSteps(run).at(-1)?.number ?? 0
  const isOver = run.end !== undefined || connection === 'over'
  const fallback = run.end?.kind === 'complete' ? run.end.fallbackFrom : undefined
  return [
    ...(isOver ? outcomeFacts : progressFacts)(run, number),
    modelLabel(run),
    fallback ? `instead of ${fallback}` : '',
  ]
}

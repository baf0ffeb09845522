import { Brain } from 'lucide-react'
import { memo, useState } from 'react'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { Facts } from '../components/facts.tsx'
import { countOf } from '../components/format.ts'
import { TextPieces } from '../components/plain-text.tsx'
import { saysOf } from '../components/problem.tsx'
import { RichText } from '../components/rich-text.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { spanOf } from '../components/time.ts'
import { Windowed } from '../components/windowed.tsx'
import type { Followed } from '../data/sessions.ts'
import { adviceFor, isWithoutProvider } from './advice.ts'
import { Approvals } from './approvals.tsx'
import type { AuditOf } from './audit-link.tsx'
import { NoProvider } from './no-provider.tsx'
import { callsOf, type Note, type Part, type Run, type Step, settled, stepsOf, type Words } from './run.ts'
import { ToolCall } from './tool-call.tsx'

type Props = {
  followed: Followed
  /** Whose run it is. */
  of: AuditOf
  /** Whether nothing more comes. */
  isOver: boolean
  /** Whether what led to the end is folded, of a run that was over when it was first shown. */
  isFolded?: boolean
  /** Whether how it ended is shown elsewhere. */
  isEndTold?: boolean
}

/** What an agent does, as it does it, and what it has done: steps, thoughts, tool calls, what waits and how it ended. */
export const RunView = ({ followed, of, isOver, isFolded = isOver, isEndTold = false }: Props) => {
  const { standing, error } = followed
  if (error !== undefined) return <Trouble code={codeOf(error)} message={saysOf(error)} />
  if (standing === 'opening') return <SkeletonRows count={3} />
  const run = isOver ? settled(followed.run) : followed.run
  const last = run.entries.at(-1)
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Windowed
        items={run.entries}
        keyOf={({ key }) => key}
        draw={(entry) =>
          entry.kind === 'note' ? (
            <Said note={entry} />
          ) : (
            <StepView step={entry} isBare={!hasSteps(run)} isFolded={isFolded && entry !== last} of={of} />
          )
        }
        itemPx={(entry) => heightOf(entry, isFolded)}
        atOnce={5}
        className="flex min-w-0 flex-col gap-3"
      />
      {isUntold(run) && <RichText text={run.summary ?? ''} />}
      {run.isWaiting && <Approvals of={of} />}
      {run.end?.kind === 'error' && !isEndTold && <Trouble {...run.end} isOfTask={'taskId' in of} />}
      <Footer run={run} standing={standing} />
    </div>
  )
}

/** About so high is the head of a step, and the line of a call with the space below it. */
const STEP_PX = 32
const CALL_PX = 42

const heightOf = (entry: Step | Note, isFolded: boolean): number =>
  entry.kind === 'note' || isFolded ? STEP_PX : STEP_PX + entry.parts.length * CALL_PX

/** An answer without tools has no steps that are worth a name. */
const hasSteps = (run: Run) => run.entries.length > 1 || callsOf(run).length > 0

/** Whether the account at the end is not the last thing that was said anyhow. */
const isUntold = ({ summary = '', ...run }: Run) => {
  const said = stepsOf(run as Run)
    .at(-1)
    ?.parts.findLast(({ kind }) => kind === 'text') as Words | undefined
  return summary !== '' && said === undefined
}

const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : '')

const notes: Readonly<Record<Note['tone'], string>> = {
  plain: 'text-muted-foreground',
  bad: 'text-destructive',
}

const Said = ({ note: { tone, text } }: { note: Note }) => (
  <p className={`border-b pb-1 font-medium [overflow-wrap:anywhere] ${notes[tone]}`}>
    <TextPieces text={text} />
  </p>
)

type StepProps = { step: Step; isBare: boolean; isFolded: boolean; of: AuditOf }

/** Drawn again when something is new in it. */
const StepView = memo(({ step, isBare, isFolded, of }: StepProps) => {
  // As it is when it first shows: nothing folds away while it is read.
  const [isOpen] = useState(!isFolded)
  const { number, parts, tookMs } = step
  const calls = parts.filter(({ kind }) => kind === 'call').length
  const content = (
    <div className="flex min-w-0 flex-col gap-2">
      <Windowed
        items={parts}
        keyOf={({ key }) => key}
        draw={(part) => <PartView part={part} of={of} />}
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
        {calls > 0 && ` · ${calls === 1 ? '1 tool call' : `${calls} tool calls`}`}
        {tookMs !== undefined && ` · ${spanOf(tookMs)}`}
      </summary>
      {content}
    </details>
  )
})

const PartView = ({ part, of }: { part: Part; of: AuditOf }) => {
  if (part.kind === 'call') return <ToolCall call={part} of={of} />
  if (part.kind === 'text') return <RichText text={part.text} />
  return <Thinking words={part} />
}

/** Open while it thinks, unless it was folded by hand. */
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
/** A run that was stopped did not fail. */
const isWanted = (code: string) => code.toLowerCase() === 'cancelled'

type TroubleProps = { code: string; message: string; isOfTask?: boolean }

/** Why a turn or run ended before it was done, and what to do. */
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
  max_steps: 'It stopped at its most steps, before it was done.',
  budget: 'It stopped at its budget of tokens, before it was done.',
  length: 'The answer was cut off: it reached the longest that the model gives.',
  'content-filter': 'The provider cut the answer off.',
}

/** How far it is, or what it took. */
const Footer = ({ run, standing }: { run: Run; standing: Followed['standing'] }) => {
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
            standing === 'lost' && (
              <span key="lost" className="text-queued">
                Connection lost, connecting again
              </span>
            ),
            ...facts(run, standing),
          ]}
        />
      </p>
    </>
  )
}

const tokensOf = ({ usedTokens, maxBudget }: Run) =>
  `${countOf(usedTokens)}${maxBudget === undefined ? '' : ` of ${countOf(maxBudget)}`} tokens`

const modelOf = ({ model = '', provider = '' }: Run) => (model === provider ? model : `${provider}/${model}`)

const progressOf = (run: Run, number: number): string[] => [
  run.isWaiting ? 'Waits for approval' : 'Working',
  number > 0 ? `step ${number}${run.maxSteps === undefined ? '' : ` of ${run.maxSteps}`}` : '',
  tokensOf(run),
]

const outcomeOf = (run: Run, number: number): string[] => [
  number > 1 ? `${number} steps` : '',
  run.usedTokens > 0 ? tokensOf(run) : '',
]

const facts = (run: Run, standing: Followed['standing']): string[] => {
  const number = stepsOf(run).at(-1)?.number ?? 0
  const isOver = run.end !== undefined || standing === 'over'
  const fallback = run.end?.kind === 'complete' ? run.end.fallbackFrom : undefined
  return [
    ...(isOver ? outcomeOf : progressOf)(run, number),
    modelOf(run),
    fallback ? `in place of ${fallback}` : '',
  ]
}

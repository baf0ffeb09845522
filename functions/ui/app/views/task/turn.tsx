import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { ownOutput } from '../../../../../lib/core/own-output.ts'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Cost } from '../../components/cost.tsx'
import { ErrorCode } from '../../components/error-code.tsx'
import { Facts } from '../../components/facts.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { RichText } from '../../components/rich-text.tsx'
import { ScrolledText } from '../../components/scrolled-text.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { State } from '../../components/state.tsx'
import { cutToWeight, startOfLine } from '../../components/text-weight.ts'
import { When } from '../../components/when.tsx'
import { useTask } from '../../data/tasks.ts'
import { ChangedFiles } from './changed-files.tsx'
import { Output, Reason } from './output.tsx'
import type { TurnRow } from './thread-rows.ts'
import { Took, TurnProgress } from './turn-progress.tsx'

/** What the agent of the current turn did, where it reports that. */
export type Work = {
  /** The commands that it ran. */
  commands: ReactNode
  /** All that it says and does. */
  run: ReactNode
}

type Props = TurnRow & {
  /** The task of the page; undefined for other turns. */
  current: Task | undefined
  work: Work | undefined
  isLast: boolean
}

/** A turn of a thread. The current and the last one start open. */
export const Turn = ({ turn, number, current, work, isLast }: Props) => {
  const [chosen, setChosen] = useState<boolean>()
  const isOpen = chosen ?? (current !== undefined || isLast)
  const content = useId()
  const task = current ?? turn
  return (
    <li
      aria-current={current ? 'true' : undefined}
      className="border-l-2 border-l-transparent aria-[current]:border-l-foreground"
    >
      <div className="flex items-center gap-x-3 pr-3.5 hover:bg-muted/60">
        <h2 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={isOpen ? content : undefined}
            onClick={() => setChosen(!isOpen)}
            className="flex min-h-10 w-full min-w-0 items-center gap-2 py-1.5 pl-2.5 text-left"
          >
            <ChevronRight
              size={14}
              className={`shrink-0 text-muted-foreground ${isOpen ? 'rotate-90' : ''}`}
            />
            <span className="shrink-0 text-muted-foreground">
              <span className="sr-only">Turn </span>
              {number}
            </span>
            <span
              title={task.title}
              className={`min-w-0 truncate ${current ? 'font-semibold' : 'font-medium'}`}
            >
              {startOfLine(task.title)}
            </span>
          </button>
        </h2>
        <span className="shrink-0 text-muted-foreground max-sm:hidden">
          <TookAndCost task={task} />
        </span>
        <State status={task.status} waitingFor={task.waitingFor} isBrief />
      </div>
      {isOpen && (
        <div id={content} className="flex flex-col pb-1">
          {current ? (
            <Content task={current} work={work} isCurrent />
          ) : (
            <Other id={turn.id} number={number} />
          )}
        </div>
      )}
    </li>
  )
}

const TookAndCost = ({ task }: { task: Task }) => (
  <Facts
    facts={[<Took key="took" task={task} />, task.cost && <Cost key="cost" cost={task.cost} isAlone />]}
  />
)

/** The prompt and the result of a turn are read when it is opened. */
const Other = ({ id, number }: { id: string; number: number }) => {
  const { data: task, error } = useTask(id)
  if (!task) return error ? <Problem error={error} /> : <SkeletonRows count={2} />
  return <Content task={task} number={number} />
}

type ContentProps = { task: Task } & (
  | { isCurrent: true; work: Work | undefined }
  | { isCurrent?: false; number: number }
)

const Content = (props: ContentProps) => {
  const { task } = props
  const isOver = isFinal(task.status)
  return (
    <>
      <p className="px-3.5 pb-1.5 text-muted-foreground sm:hidden">
        <TookAndCost task={task} />
      </p>
      {props.isCurrent ? (
        <CurrentTurn task={task} isOver={isOver} work={props.work} />
      ) : (
        <>
          <Prompt task={task} />
          {!isOver && <TurnProgress task={task} />}
          <Answer task={task} number={props.number} />
          <ChangedFiles task={task} />
          <Link
            to="/tasks/$id"
            params={{ id: task.id }}
            className="self-start px-3.5 py-1.5 text-muted-foreground underline underline-offset-2 hover:text-foreground"
          >
            Open this turn
          </Link>
        </>
      )}
    </>
  )
}

type CurrentProps = { task: Task; isOver: boolean; work: Work | undefined; withoutPrompt?: boolean }

/**
 * Prompt and result, but of a failed task the reason before its prompt. The result comes before what the agent did, but where the page was
 * opened while the agent worked: what it did stays above then.
 */
export const CurrentTurn = ({ task, isOver, work, withoutPrompt = false }: CurrentProps) => {
  const [wasRunning] = useState(!isOver)
  const isReasonFirst = !wasRunning && task.status === 'failed' && task.error !== undefined
  return (
    <>
      {isReasonFirst && <Reason task={task} isOver />}
      {!withoutPrompt && <Prompt task={task} isFolded={isReasonFirst} />}
      {wasRunning && work?.run}
      {!isOver && !work && <TurnProgress task={task} />}
      {isOver || task.error ? (
        <Output task={task} isOver={isOver} isReasonAbove={isReasonFirst} commands={work?.commands} />
      ) : (
        <ChangedFiles task={task} />
      )}
      {!wasRunning && work && <div className="mt-1 border-t">{work.run}</div>}
    </>
  )
}

export const promptText = ({ prompt, description, title }: Task): string => prompt ?? description ?? title

/** A text of more lines or characters is folded. */
const SHORT_LINES = 2
const SHORT_LETTERS = 240

const isShort = (text: string) =>
  text.length <= SHORT_LETTERS && text.trimEnd().split('\n', SHORT_LINES + 1).length <= SHORT_LINES

const Prompt = ({ task, isFolded = false }: { task: Task; isFolded?: boolean }) => {
  const text = promptText(task)
  const canFold = isFolded && !isShort(text)
  const [isOpen, setOpen] = useState(false)
  const content = useId()
  return (
    <div className="mx-3.5 rounded-lg bg-muted px-3 py-2">
      <div className="flex items-center gap-2 pb-1 text-xs text-muted-foreground">
        <Facts facts={[<Person key="by" id={task.createdBy} />, <When key="at" at={task.createdAt} />]} />
        {canFold && (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={content}
            onClick={() => setOpen(!isOpen)}
            className="ml-auto flex items-center gap-1 hover:text-foreground"
          >
            <ChevronRight size={13} className={isOpen ? 'rotate-90' : ''} /> Whole prompt
          </button>
        )}
      </div>
      <div id={content}>
        {canFold && !isOpen ? (
          <p className="line-clamp-2 [overflow-wrap:anywhere]">
            {cutToWeight(text.trimStart(), FOLDED_WEIGHT)}
          </p>
        ) : (
          <ScrolledText label={`Prompt: ${startOfLine(task.title)}`} text={text} />
        )}
      </div>
    </div>
  )
}

/** Two lines have no more. */
const FOLDED_WEIGHT = 1_000

const Answer = ({ task, number }: { task: Task; number: number }) => {
  const { error, status } = task
  const output = ownOutput(task)
  return (
    <>
      {error && status !== 'completed' && (
        <p className="px-3.5 py-2 text-destructive [overflow-wrap:anywhere]">
          {startOfLine(error.message)} <ErrorCode code={error.code} />
        </p>
      )}
      {output !== '' && (
        <Scroller
          role="group"
          label={`Output of turn ${number}`}
          className="max-h-96 overflow-y-auto px-3.5 py-2"
        >
          <RichText text={output} />
        </Scroller>
      )}
    </>
  )
}

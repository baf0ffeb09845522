import { Link } from '@tanstack/react-router'
import { Clock } from 'lucide-react'
import { useState } from 'react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Button } from '../../components/button.tsx'
import { Cost } from '../../components/cost.tsx'
import { Facts } from '../../components/facts.tsx'
import { formatNumber } from '../../components/format.ts'
import { Problem } from '../../components/problem.tsx'
import { ScrolledText } from '../../components/scrolled-text.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { When } from '../../components/when.tsx'
import { type Thread as ThreadData, toThreadId, useThread } from '../../data/threads.ts'
import { columnClass } from './column.ts'
import { nextOfGap, threadRows } from './thread-rows.ts'
import { CurrentTurn, promptText, Turn, type Work } from './turn.tsx'

/** The output of a task; of one that was answered, or answers another, all turns of its thread. */
export const Thread = ({ task, isOver, work }: { task: Task; isOver: boolean; work: Work | undefined }) => {
  const { data: thread, error, refetch } = useThread(toThreadId(task))
  const isAnswer = task.parentId !== undefined
  if (!thread && isAnswer)
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows count={4} />
  return (
    <>
      {thread && thread.tasks.length > 1 ? (
        <Turns task={task} thread={thread} work={work} />
      ) : (
        <OnlyTurn task={task} isOver={isOver} work={work} />
      )}
      {thread && <Waiting messages={thread.messages} />}
    </>
  )
}

type OnlyProps = { task: Task; isOver: boolean; work: Work | undefined }

const OnlyTurn = ({ task, isOver, work }: OnlyProps) => (
  <div className={`flex flex-col pt-2.5 ${columnClass}`}>
    <CurrentTurn task={task} isOver={isOver} work={work} withoutPrompt={promptText(task) === task.title} />
  </div>
)

type TurnsProps = { task: Task; thread: ThreadData; work: Work | undefined }

const Turns = ({ task, thread, work }: TurnsProps) => {
  const { tasks: turns, cost } = thread
  const latest = turns.at(-1)?.id ?? task.id
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set())
  return (
    <section aria-label="Thread" className={columnClass}>
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 border-b px-3.5 text-muted-foreground">
        <span>
          Turn {formatNumber(turns.findIndex(({ id }) => id === task.id) + 1)} of {formatNumber(turns.length)}
        </span>
        {cost && (
          <span>
            Whole thread <Cost cost={cost} />
          </span>
        )}
        {latest !== task.id && (
          <Link
            to="/tasks/$id"
            params={{ id: latest }}
            className="ml-auto underline underline-offset-2 hover:text-foreground"
          >
            Latest turn
          </Link>
        )}
      </div>
      <ol aria-label="Turns" className="divide-y">
        {threadRows(turns, task.id, asked).map((row) =>
          row.kind === 'turn' ? (
            <Turn
              key={row.turn.id}
              {...row}
              current={row.turn.id === task.id ? task : undefined}
              work={row.turn.id === task.id ? work : undefined}
              isLast={row.turn.id === latest}
            />
          ) : (
            <li key={`before ${row.turns.at(-1)?.id}`} className="px-3.5 py-1.5">
              <Button
                size="small"
                kind="ghost"
                onClick={() => setAsked(new Set([...asked, ...nextOfGap(row)]))}
              >
                {formatNumber(row.turns.length)} earlier {row.turns.length === 1 ? 'turn' : 'turns'}
              </Button>
            </li>
          ),
        )}
      </ol>
    </section>
  )
}

const Waiting = ({ messages }: { messages: ThreadData['messages'] }) =>
  messages.length > 0 && (
    <section aria-label="Waiting messages" className={`border-t ${columnClass}`}>
      <ul className="flex flex-col gap-2 px-3.5 py-3">
        {messages.map(({ id, content, createdAt }) => (
          <li key={id} className="rounded-lg border border-dashed border-input px-3 py-2">
            <p className="flex items-center gap-1.5 text-xs text-muted-foreground">
              <Clock size={12} aria-hidden className="text-queued" />
              <Facts facts={['Waits for the current turn to end', <When key="at" at={createdAt} />]} />
            </p>
            <ScrolledText label={`Message: ${startOfLine(content)}`} text={content} />
          </li>
        ))}
      </ul>
    </section>
  )

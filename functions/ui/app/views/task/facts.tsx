import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Copy } from '../../components/copy.tsx'
import { linkOf } from '../../components/link.ts'
import { ToolCallsLink } from '../../components/session-link.tsx'
import { Tag } from '../../components/tag.tsx'
import { spanOf } from '../../components/time.ts'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'

const priorities = { 1: '1 · critical', 2: '2 · high', 3: '3 · normal', 4: '4 · low' } as const
const count = new Intl.NumberFormat()

const sourceOf = ({ source, sourceId, sourceUrl }: Task) => {
  const text = sourceId ? `${source} ${sourceId}` : source
  const href = linkOf(sourceUrl)
  if (href === undefined) return text
  return (
    <a href={href} target="_blank" rel="noreferrer" className="underline underline-offset-2">
      {text}
    </a>
  )
}

/** Name and value of what is known; what is not known is left out. */
const factsOf = (task: Task): readonly (readonly [string, ReactNode])[] => [
  ['Agent', task.agent],
  ['Priority', priorities[task.priority]],
  ['Attempts', `${task.attempts} of ${task.maxAttempts}`],
  ['Source', sourceOf(task)],
  ['Repository', task.repository],
  ['Branch', task.branch],
  ['Labels', task.labels.length > 0 && <Labels labels={task.labels} />],
  ['Created', <When key="created" at={task.createdAt} />],
  ['Next attempt', task.nextAttemptAt && <When at={task.nextAttemptAt} />],
  ['Ended', task.completedAt && <When at={task.completedAt} />],
  [
    'Took',
    task.startedAt && task.completedAt && spanOf(Date.parse(task.completedAt) - Date.parse(task.startedAt)),
  ],
  ['Created by', task.createdBy],
  ['On record', <ToolCallsLink key="calls" taskId={task.id} />],
  [
    'Retry of',
    task.retriedFrom && (
      <Link to="/tasks/$id" params={{ id: task.retriedFrom }} className="underline underline-offset-2">
        {task.retriedFrom}
      </Link>
    ),
  ],
]

export const Facts = ({ task }: { task: Task }) => (
  <Panel title="Facts" aside={<Copy text={task.id} label="Copy the id" />}>
    <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-y-1.5 px-3.5 py-3">
      {factsOf(task).map(
        ([name, value]) =>
          value && (
            <div key={name} className="contents">
              <dt className="text-muted-foreground">{name}</dt>
              <dd className="[overflow-wrap:anywhere]">{value}</dd>
            </div>
          ),
      )}
    </dl>
    {task.usage && (
      <dl className="grid grid-cols-3 border-t px-3.5 py-2.5">
        {(
          [
            ['In', task.usage.promptTokens],
            ['Out', task.usage.completionTokens],
            ['Tokens', task.usage.totalTokens],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-muted-foreground">{name}</dt>
            <dd className="font-medium">{count.format(value)}</dd>
          </div>
        ))}
      </dl>
    )}
  </Panel>
)

const Labels = ({ labels }: { labels: readonly string[] }) => (
  <span className="flex flex-wrap gap-1">
    {labels.map((label) => (
      <Tag key={label}>{label}</Tag>
    ))}
  </span>
)

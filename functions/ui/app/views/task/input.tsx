import type { ReactNode } from 'react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { AgentName } from '../../components/agent-name.tsx'
import { formatUsd } from '../../components/format.ts'
import { safeLink } from '../../components/link.ts'
import { TextPieces } from '../../components/plain-text.tsx'
import { priorities } from '../../components/priorities.ts'
import { Scroller } from '../../components/scroller.tsx'
import { ToolCallsLink } from '../../components/session-link.tsx'
import { sourceName } from '../../components/source-name.ts'
import { Tag } from '../../components/tag.tsx'
import { formatDuration } from '../../components/time.ts'
import { When } from '../../components/when.tsx'

const sourceLink = ({ source, sourceId, sourceUrl }: Task) => {
  const text = [sourceName(source), sourceId].filter(Boolean).join(' ')
  const href = safeLink(sourceUrl)
  if (href === undefined) return text
  return (
    <a href={href} target="_blank" rel="noreferrer" className="underline underline-offset-2">
      {text}
    </a>
  )
}

const labelTags = (labels: readonly string[] = []) =>
  labels.length > 0 && (
    <span className="flex flex-wrap gap-1">
      {labels.map((label) => (
        <Tag key={label}>{label}</Tag>
      ))}
    </span>
  )

const taskFacts = (task: Task): readonly (readonly [string, ReactNode])[] => [
  ['Agent', task.agent && <AgentName type={task.agent} />],
  ['Priority', priorities[task.priority]],
  ['Source', sourceLink(task)],
  ['Repository', task.repository],
  ['Branch', task.branch],
  ['Labels', labelTags(task.labels)],
  ['Runs on', labelTags(task.runsOn)],
  ['Runner', task.runner],
  ['Time limit', task.timeoutMs && `${formatDuration(task.timeoutMs)} for each attempt`],
  ['Steps', task.maxSteps && `at most ${task.maxSteps}`],
  ['Cost limit', task.maxCostUsd && `${formatUsd(task.maxCostUsd)} for all attempts`],
  ['Next attempt', task.nextAttemptAt && <When at={task.nextAttemptAt} />],
  ['Ended', task.completedAt && <When at={task.completedAt} />],
  ['Audit', <ToolCallsLink key="calls" taskId={task.id} />],
]

const metadataText = ({ metadata }: Task) =>
  metadata && Object.keys(metadata).length > 0 ? JSON.stringify(metadata, null, 2) : undefined

export const Input = ({ task }: { task: Task }) => {
  const texts = [
    ['Prompt', task.prompt],
    ['Description', task.description],
    ['Metadata', metadataText(task)],
  ] as const
  return (
    <>
      <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-y-1.5 px-3.5 py-3">
        {taskFacts(task).map(
          ([name, value]) =>
            value && (
              <div key={name} className="contents">
                <dt className="text-muted-foreground">{name}</dt>
                <dd className="[overflow-wrap:anywhere]">{value}</dd>
              </div>
            ),
        )}
      </dl>
      {texts.map(
        ([title, text]) =>
          text && (
            <section key={title} aria-label={title} className="border-t">
              <h2 className="px-3.5 pt-2.5 font-semibold">{title}</h2>
              <Scroller role="group" label={title} className="max-h-96 overflow-y-auto px-3.5 pt-1 pb-3">
                <pre
                  className={`[overflow-wrap:anywhere] whitespace-pre-wrap ${title === 'Metadata' ? 'font-mono text-xs' : 'font-sans'}`}
                >
                  <TextPieces text={text} />
                </pre>
              </Scroller>
            </section>
          ),
      )}
    </>
  )
}

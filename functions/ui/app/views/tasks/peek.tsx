import { Link, useNavigate } from '@tanstack/react-router'
import type { KeyboardEvent, ReactNode } from 'react'
import { cutText } from '../../../../../lib/core/cut-text.ts'
import { ownOutput } from '../../../../../lib/core/own-output.ts'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import { AgentName } from '../../components/agent-name.tsx'
import { buttonClass } from '../../components/button.tsx'
import { Cost } from '../../components/cost.tsx'
import { Drawer } from '../../components/drawer.tsx'
import { TextPieces } from '../../components/plain-text.tsx'
import { RichText } from '../../components/rich-text.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { State } from '../../components/state.tsx'
import { formatDuration } from '../../components/time.ts'
import { When } from '../../components/when.tsx'
import type { TaskRow } from './rows.ts'

const LETTERS = 4_000

type Props = { rows: readonly TaskRow[]; id: string; onShow: (id: string | undefined) => void }

/** `j` and `k` move, Enter opens, Space and Escape close. */
export const Peek = ({ rows, id, onShow }: Props) => {
  const navigate = useNavigate()
  const at = rows.findIndex((row) => row.id === id)
  const task = rows[at]
  if (task === undefined) return null
  const close = () => onShow(undefined)
  const step = (by: number) => {
    const next = rows[at + by]
    if (next) onShow(next.id)
  }
  const keys: Readonly<Record<string, () => void>> = {
    j: () => step(1),
    k: () => step(-1),
    ' ': close,
    Enter: () => void navigate({ to: '/tasks/$id', params: { id } }),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isPressing = event.target instanceof HTMLElement && event.target.matches('button, a, summary')
    if (isPressing && (event.key === ' ' || event.key === 'Enter')) return
    const act = keys[event.key]
    if (!act || event.metaKey || event.ctrlKey || event.altKey) return
    event.preventDefault()
    act()
  }
  const output = ownOutput(task)
  return (
    <Drawer title={task.title} onClose={close} onKeyDown={onKeyDown}>
      <Scroller
        role="group"
        label="The task"
        className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-4 py-3"
      >
        <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted-foreground">
          <State status={task.status} waitingFor={task.waitingFor} />
          <AgentName type={task.agent} />
          {task.attempts > 1 && (
            <span>
              Attempt {task.attempts} of {task.maxAttempts}
            </span>
          )}
          {task.startedAt && task.completedAt && <span>{formatDuration(runTimeMs(task))}</span>}
          {task.cost?.usd != null && (
            <span className="text-foreground">
              <Cost cost={task.cost} />
            </span>
          )}
          <When at={task.createdAt} />
        </p>
        {task.error && (
          <Part title="Why it failed">
            <p className="font-mono text-xs leading-5 text-destructive [overflow-wrap:anywhere] whitespace-pre-wrap">
              <TextPieces text={cutText(task.error.message, LETTERS)} />
            </p>
          </Part>
        )}
        {task.prompt && (
          <Part title="Prompt">
            <p className="[overflow-wrap:anywhere] whitespace-pre-wrap">
              <TextPieces text={cutText(task.prompt, LETTERS)} />
            </p>
          </Part>
        )}
        {output !== '' && (
          <Part title="Output">
            <RichText text={cutText(output, LETTERS)} />
          </Part>
        )}
      </Scroller>
      <div className="flex justify-end border-t px-4 py-2.5">
        <Link to="/tasks/$id" params={{ id }} className={buttonClass({ kind: 'primary' })}>
          Open the task
        </Link>
      </div>
    </Drawer>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title}>
    <h3 className="pb-0.5 text-xs font-medium text-muted-foreground">{title}</h3>
    {children}
  </section>
)

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Agent } from '../../../../../lib/agents/schema.ts'
import { formatUsd } from '../../components/format.ts'
import { formatDuration } from '../../components/time.ts'

const WHOLE = 100

type Props = {
  agent: Agent
  /** Dollars of the present month; undefined until loaded. */
  monthUsd: number | undefined
}

export const Stats = ({ agent: { type, stats }, monthUsd }: Props) => {
  const { completed, failed, avgDuration } = stats
  const all = completed + failed
  return (
    <div className="border-t p-3.5">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-4">
        <Figure name="Completed" value={String(completed)} look={completed > 0 ? 'text-completed' : ''} />
        <Figure
          name="Failed"
          value={
            failed === 0 ? (
              '0'
            ) : (
              <Link
                to="/tasks"
                search={{ agent: type, status: 'failed' }}
                title="Show the failed tasks"
                className="underline-offset-2 hover:underline"
              >
                {failed}
              </Link>
            )
          }
          look={failed > 0 ? 'text-failed' : ''}
        />
        <Figure name="On average" value={completed > 0 ? formatDuration(avgDuration) : '–'} look="" />
        <Figure name="Cost this month" value={monthUsd === undefined ? '–' : formatUsd(monthUsd)} look="" />
      </dl>
      <div
        role="img"
        aria-label={all > 0 ? `${Math.round((completed / all) * WHOLE)} % completed` : 'No runs yet'}
        className="mt-2 flex h-1.5 gap-px overflow-hidden rounded-full bg-muted"
      >
        <span className="bg-completed" style={{ flexGrow: completed }} />
        <span className="bg-failed" style={{ flexGrow: failed }} />
      </div>
    </div>
  )
}

const Figure = ({ name, value, look }: { name: string; value: ReactNode; look: string }) => (
  <div>
    <dt className="text-xs text-muted-foreground">{name}</dt>
    <dd className={`text-base font-semibold ${look}`}>{value}</dd>
  </div>
)

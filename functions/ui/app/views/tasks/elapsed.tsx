import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import { useNow } from '../../components/now.ts'
import { formatDuration } from '../../components/time.ts'
import { isStuck, usualMs } from '../../components/usual-time.ts'
import { useAgentName } from '../../data/agents.ts'
import type { useUsualRuns } from '../../data/analytics.ts'
import type { TaskRow } from './rows.ts'

type Usual = ReturnType<typeof useUsualRuns>

const WIDTH = 60
/** Where the usual time is on the bar. */
const USUAL_AT = 40

/** From first start to end or now, without time spent waiting for approval; against what is usual for the agent. */
export const Elapsed = ({ task, usual }: { task: TaskRow; usual: Usual }) => {
  const now = useNow(task.status === 'in_progress')
  const agentName = useAgentName()
  if (task.startedAt === undefined) return null
  const elapsedMs = runTimeMs(task, now)
  const runs = usual?.[task.agent]?.run
  const mostMs = usualMs(runs)
  const isLong = task.status === 'in_progress' && isStuck(elapsedMs, runs)
  return (
    <span
      className="block"
      title={
        mostMs === undefined
          ? undefined
          : `95% of the runs of ${agentName(task.agent)} took at most ${formatDuration(mostMs)}`
      }
    >
      <span className={isLong ? 'font-medium text-failed' : 'text-muted-foreground'}>
        {formatDuration(elapsedMs)}
      </span>
      {mostMs !== undefined && mostMs > 0 && <Bar share={elapsedMs / mostMs} isLong={isLong} task={task} />}
    </span>
  )
}

type BarProps = { share: number; isLong: boolean; task: TaskRow }

/** Drawn, not styled: rows have no inline style. */
const Bar = ({ share, isLong, task: { status } }: BarProps) => {
  const fill = status === 'in_progress' ? 'fill-running' : 'fill-muted-foreground/60'
  return (
    <svg viewBox={`0 0 ${WIDTH} 3`} preserveAspectRatio="none" className="h-[3px] w-15" aria-hidden="true">
      <rect width={WIDTH} height="3" className="fill-accent" />
      <rect width={Math.min(WIDTH, share * USUAL_AT)} height="3" className={isLong ? 'fill-failed' : fill} />
      <rect x={USUAL_AT} width="1" height="3" className="fill-foreground" />
    </svg>
  )
}

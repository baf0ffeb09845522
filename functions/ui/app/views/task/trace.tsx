import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Drawer } from '../../components/drawer.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { useTaskEvents } from '../../data/tasks.ts'
import type { Run } from '../../run/run.ts'
import { useKeys } from '../../shell/keys.ts'
import { Timeline } from './timeline.tsx'

type Props = { task: Task; run: Run | undefined; isOver: boolean }

/** Opens with `t`, and closes with it. The address has whether it is open. */
export const Trace = (props: Props) => {
  const { trace: isOpen = false } = useSearch({ from: '/tasks/$id' })
  const navigate = useNavigate({ from: '/tasks/$id' })
  const show = (isShown: boolean) =>
    void navigate({
      search: ({ trace: _, ...now }) => (isShown ? { ...now, trace: true } : now),
      replace: true,
    })
  useKeys({ trace: () => show(true) })
  if (!isOpen) return null
  return (
    <Drawer
      title="Trace"
      isWide
      onClose={() => show(false)}
      onKeyDown={(event) => {
        if (event.key !== 't') return
        event.preventDefault()
        show(false)
      }}
    >
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Content {...props} />
      </div>
    </Drawer>
  )
}

const Content = ({ task, isOver, run }: Props) => {
  const { data: events, error } = useTaskEvents(task.id, isOver)
  if (events) return <Timeline events={events} run={run} task={task} />
  return error ? <Problem error={error} /> : <SkeletonRows count={2} />
}

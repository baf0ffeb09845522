import { Link } from '@tanstack/react-router'
import { Command } from '../../components/copy.tsx'
import { NotYet } from '../../components/not-yet.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { State } from '../../components/state.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useActiveTasks } from '../../data/tasks.ts'

/** What runs and what is next. */
export const Active = () => {
  const query = useActiveTasks()
  const { data } = query
  return (
    <Panel
      title="Now"
      aside={
        <Link
          to="/tasks"
          search={{ status: 'in_progress,queued' }}
          className="text-muted-foreground hover:text-foreground"
        >
          {data && data.total > data.tasks.length ? `All ${data.total}` : 'All'}
        </Link>
      }
    >
      {!data && (
        <NotYet query={query}>
          <SkeletonRows count={4} />
        </NotYet>
      )}
      {data?.tasks.length === 0 && (
        <div className="flex flex-col gap-2.5 px-3.5 py-4">
          <p className="text-muted-foreground">No task runs or waits. Press c to create one, or send it:</p>
          <Command
            text={`curl -X POST ${location.origin}/api/tasks -H 'content-type: application/json' -d '{"title": "Hello"}'`}
          />
        </div>
      )}
      <ul className="divide-y">
        {data?.tasks.map(({ id, title, status, startedAt, createdAt }) => (
          <li key={id}>
            <Link
              to="/tasks/$id"
              params={{ id }}
              className="flex items-center gap-3 px-3.5 py-2 hover:bg-muted"
            >
              <State status={status} />
              <span className="min-w-0 flex-1 truncate">{title}</span>
              <When at={startedAt ?? createdAt} className="text-muted-foreground" />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { RunnerGuide, StartRunner } from '../../components/start-runner.tsx'
import { Panel } from '../../components/view.tsx'
import type { Nothing } from '../../data/agents.ts'
import { useRunners } from '../../data/runners.ts'

const link = 'font-medium underline underline-offset-2'

/** What to do where nothing can run a task: a new installation, or one whose runners are away. */
export const NoTaskRuns = ({ why, isWorkerOff }: Nothing) => {
  const { data: runners } = useRunners()
  if (runners === undefined) return null
  return (
    <Panel
      title="No task can run"
      aside={<RunnerGuide className="text-muted-foreground hover:text-foreground" />}
    >
      <div className="flex flex-col gap-3 p-3.5">
        <p className="flex gap-2">
          <TriangleAlert size={16} className="mt-0.5 shrink-0 text-queued" />
          <span>
            {why} Tasks wait until this is fixed.{' '}
            {runners.length > 0 ? (
              <Link to="/agents" className={link}>
                {runners.length === 1 ? 'See the runner' : `See the ${runners.length} runners`}
              </Link>
            ) : (
              <ToDo isWorkerOff={isWorkerOff} />
            )}
          </span>
        </p>
        {runners.length === 0 && <StartRunner />}
      </div>
    </Panel>
  )
}

const ToDo = ({ isWorkerOff }: { isWorkerOff: boolean }) =>
  isWorkerOff ? (
    'Start a runner:'
  ) : (
    <>
      <Link to="/agents" className={link}>
        Set up an agent
      </Link>
      , or start a runner:
    </>
  )

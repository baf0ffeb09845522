import { Empty } from '../../components/empty.tsx'
import { NotYet } from '../../components/not-yet.tsx'
import { Rows } from '../../components/rows.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { RunnerGuide, StartRunner } from '../../components/start-runner.tsx'
import { Panel } from '../../components/view.tsx'
import { useMe } from '../../data/me.ts'
import { useRunners, useRunningTitles } from '../../data/runners.ts'
import { RunnerRow } from './runner-row.tsx'

export const Runners = () => {
  const query = useRunners()
  const { data } = query
  const isAdmin = useMe()?.role === 'admin'
  const titles = useRunningTitles(data?.some(({ running }) => running.length > 0) === true).data
  return (
    <Panel title="Runners" aside={<RunnerGuide className="text-muted-foreground hover:text-foreground" />}>
      {!data && (
        <NotYet query={query}>
          <SkeletonRows count={2} />
        </NotYet>
      )}
      {data?.length === 0 && <NoRunners />}
      {data && data.length > 0 && (
        <Rows label="Runners">
          {data.map((runner) => (
            <RunnerRow key={runner.id} runner={runner} titles={titles} isAdmin={isAdmin} />
          ))}
        </Rows>
      )}
    </Panel>
  )
}

const NoRunners = () => (
  <Empty title="No runners yet">
    <p className="pb-3">
      A runner runs tasks on another machine, for example where your tools are. It needs no open port.
    </p>
    <StartRunner />
  </Empty>
)

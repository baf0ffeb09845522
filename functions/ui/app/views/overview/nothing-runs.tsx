import { Boundary } from '../../components/boundary.tsx'
import { lazyComponent } from '../../components/lazy.tsx'
import { useNothingRuns } from '../../data/agents.ts'
import { Unloaded } from './unloaded.tsx'

const NoTaskRuns = lazyComponent(() => import('./no-task-runs.tsx'), 'NoTaskRuns')

/** Services that can run tasks do not load the code. */
export const NothingRuns = () => {
  const nothing = useNothingRuns()
  if (nothing === undefined) return null
  return (
    <Boundary resetKey="nothing runs" failed={Unloaded}>
      <NoTaskRuns {...nothing} />
    </Boundary>
  )
}

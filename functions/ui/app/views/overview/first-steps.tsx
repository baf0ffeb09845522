import { Boundary } from '../../components/boundary.tsx'
import { lazyComponent } from '../../components/lazy.tsx'
import { createStored } from '../../data/stored.ts'
import { useFirstTasks } from '../../data/tasks.ts'
import { Unloaded } from './unloaded.tsx'

const MOST_TASKS = 10

const isHidden = createStored('first-steps-hidden', false, (value) => typeof value === 'boolean')

const Steps = lazyComponent(() => import('./steps.tsx'), 'Steps')

/** Progress is read from the service, so it is the same in every browser. Services in use do not load the code. */
export const FirstSteps = () => {
  const hidden = isHidden.use()
  const { data: tasks } = useFirstTasks()
  if (hidden || tasks === undefined || tasks.total > MOST_TASKS) return null
  return (
    <Boundary resetKey="first steps" failed={Unloaded}>
      <Steps {...tasks} onHide={() => isHidden.set(true)} />
    </Boundary>
  )
}

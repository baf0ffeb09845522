import type { ErrorComponentProps } from '@tanstack/react-router'
import { Boundary, useRecovery } from '../../components/boundary.tsx'
import { lazyComponent } from '../../components/lazy.tsx'
import { createStored } from '../../data/stored.ts'
import { useFirstTasks } from '../../data/tasks.ts'

/** A service with more tasks than this is not new. */
const MOST_TASKS = 10

const isHidden = createStored('first-steps-hidden', false, (value) => typeof value === 'boolean')

const Steps = lazyComponent(() => import('./steps.tsx'), 'Steps')

/**
 * What to do with a new service; what is done is read from the service, so it stays done in every browser. Any other service
 * does not load them.
 */
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

/** They come when their code does. */
const Unloaded = (props: ErrorComponentProps) => {
  useRecovery(props)
  return null
}

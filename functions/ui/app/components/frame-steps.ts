/** Steps that wait. One is done in each frame, so that the page answers in between. */
const steps = new Set<() => void>()

const afterFrame = (act: () => void) => requestAnimationFrame(() => setTimeout(act))

const doNextStep = () => {
  const [step] = steps
  if (step === undefined) return
  steps.delete(step)
  step()
  if (steps.size > 0) afterFrame(doNextStep)
}

/** Does the step in a frame of its own, after those that wait. Returns how to cancel it. */
export const enqueueStep = (step: () => void): (() => void) => {
  steps.add(step)
  if (steps.size === 1) afterFrame(doNextStep)
  return () => void steps.delete(step)
}

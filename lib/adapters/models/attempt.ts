import type { Masker } from '../../core/masker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { StepPart, StepRequest } from '../../ports/model.ts'
import { providerError, sceneFor, toProblem } from './failures.ts'
import type { OpenModel } from './loaders.ts'
import type { Provider } from './resolve.ts'
import { callModel, openLine } from './step.ts'

type Needs = {
  clock: Clock
  open: (provider: Provider) => Promise<OpenModel>
  masker: Masker
  /** The output limit of a request that sets none. */
  maxOutputTokens: number
  silenceMs: number
}

/**
 * One try of a step on its own connection, which is closed at the end of the try; throws Problems or the signal's reason.
 */
export async function* attempt(
  needs: Needs,
  provider: Provider,
  model: string,
  request: StepRequest,
): AsyncGenerator<StepPart> {
  const { clock, open, masker, maxOutputTokens, silenceMs } = needs
  const scene = sceneFor(provider, model, clock.now(), masker)
  const lost = () =>
    providerError(scene, 'transport', `sent nothing for ${silenceMs / 1000} s`, { isSilence: true })
  const line = openLine(clock, request.signal, silenceMs, lost)
  try {
    yield* callModel({ provider, open: await open(provider), model, request, maxOutputTokens, line, scene })
  } catch (thrown) {
    throw line.signal.aborted ? line.signal.reason : toProblem(thrown, scene)
  } finally {
    line.close()
  }
}

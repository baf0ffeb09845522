import { createSignal } from './signal.ts'

const ASK_AGAIN_MS = 2_000

/** Whether the service was reached by the last request. */
export const isConnected = createSignal(true)

/** `fetch` that takes note of whether there was an answer, whatever it was; one that was called off says nothing. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init)
    isConnected.set(true)
    return response
  } catch (error) {
    if (!init?.signal?.aborted) isConnected.set(false)
    throw error
  }
}

/** Asks whether the service is back, for as long as it is not. */
export const watchConnection = () => {
  addEventListener('offline', () => isConnected.set(false))
  addEventListener('online', () => void probe())
  isConnected.subscribe(() => {
    if (!isConnected.get()) setTimeout(probe, ASK_AGAIN_MS)
  })
}

const probe = async () => {
  if (isConnected.get()) return
  await watchedFetch('/api/health', { cache: 'no-store' }).catch(() => setTimeout(probe, ASK_AGAIN_MS))
}

/** Why a run was told to end before its agent was done. */
export type StopReason = 'cancelled' | 'lost' | 'timeout' | 'shutdown'

const texts: Readonly<Record<StopReason, string>> = {
  cancelled: 'The task was cancelled',
  lost: 'The task is held by another worker now',
  timeout: 'The agent did not finish in time',
  shutdown: 'The service is shutting down',
}

/** The reason that an agent finds on its abort signal. */
export class RunStopped extends Error {
  readonly code: StopReason

  constructor(code: StopReason) {
    super(texts[code])
    this.name = 'RunStopped'
    this.code = code
  }
}

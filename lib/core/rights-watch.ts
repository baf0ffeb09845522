import { Problem } from './errors.ts'
import type { Principal } from './principal.ts'
import { repeat } from './repeat.ts'

/** Whether a caller still has the same rights: a valid session or token, an enabled account, the same role. */
export type HoldsRights = (principal: Principal) => Promise<boolean>

const LOOK_MS = 2_000

/** The signal aborts with Problem `unauthenticated` `rights_ended` when the caller has lost its rights. */
export type RightsWatch = { readonly signal: AbortSignal; end(): void }

type Needs = {
  clock: { after(delayMs: number, call: () => void): () => void }
  log: { warn(fields: object, message: string): void }
  holds: () => Promise<boolean>
}

/** Reads the rights of a caller until `end` is called: a request is admitted once, and may take minutes. */
export const watchRights = ({ clock, log, holds }: Needs): RightsWatch => {
  const controller = new AbortController()
  const look = async () => {
    if (await holds()) return
    controller.abort(rightsEnded())
    end()
  }
  const end = repeat({ clock, log }, LOOK_MS, look, 'the rights of a caller could not be read')
  return { signal: controller.signal, end }
}

/** The error of a request, or of a turn, whose caller has lost its rights meanwhile. */
export const rightsEnded = (): Problem =>
  new Problem(
    'unauthenticated',
    'rights_ended',
    'Your session, token or account ended or changed during this request. Sign in again',
  )

import { hash } from 'node:crypto'
import { definedFields } from '../core/defined-fields.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { type AuthorizationRequestRow, authorizationRequests } from './rows.ts'
import type { ProviderName } from './schema.ts'

/** The lifetime of authorization codes of the code host. */
export const AUTHORIZATION_REQUEST_MS = 600_000
const SECRET_BYTES = 32

type Needs = { store: Store; cipher: Cipher; entropy: Entropy; clock: Clock }

/** The purpose of a request: who links an account, and where the browser returns to. */
export type AuthorizationRequest = {
  provider: ProviderName
  redirectUri: string
  userId?: string | undefined
  sessionId?: string | undefined
  invite?: string | undefined
}
/** `state` goes to the provider and `secret` to the browser; the rest stays in storage. */
type Begun = { state: string; secret: string; verifier: string; nonce: string }
type Sealed = { verifier: string; nonce: string; invite?: string }

export type AuthorizationRequests = ReturnType<typeof createAuthorizationRequests>

/**
 * Sign-ins that have begun. A sign-in ends once, within ten minutes, with the same provider and in the same browser. The
 * browser has a secret that no address contains, so that a link cannot sign a person in to another's account.
 */
export const createAuthorizationRequests = ({ store, cipher, entropy, clock }: Needs) => {
  const random = () => entropy(SECRET_BYTES).toString('base64url')

  const begin = async ({ invite, userId, sessionId, ...request }: AuthorizationRequest): Promise<Begun> => {
    const [state, secret, verifier, nonce] = [random(), random(), random(), random()]
    const id = hash('sha256', state)
    const secrets: Sealed = { verifier, nonce, ...(invite === undefined ? {} : { invite }) }
    const row: AuthorizationRequestRow = {
      ...request,
      id,
      browser: hash('sha256', secret),
      sealed: await cipher.seal(JSON.stringify(secrets), sealContext(id)),
      ...definedFields({ userId, sessionId }),
      expiresAt: clock.now() + AUTHORIZATION_REQUEST_MS,
    }
    await store.commit<AuthorizationRequestRow>({ insert: authorizationRequests, row })
    return { state, secret, verifier, nonce }
  }

  /** Ends the request of that state and browser; undefined when there is none, or not any more. */
  const end = async (
    provider: ProviderName,
    { state, secret }: { state: string | undefined; secret: string | undefined },
  ): Promise<(AuthorizationRequest & Sealed) | undefined> => {
    if (state === undefined || secret === undefined) return undefined
    const { applied, row } = await store.commit<AuthorizationRequestRow>({
      remove: authorizationRequests,
      key: hash('sha256', state),
      when: { provider, browser: hash('sha256', secret) },
    })
    if (!applied || row === undefined) return undefined
    if (!leaseHolds(row.expiresAt, AUTHORIZATION_REQUEST_MS, clock.now())) return undefined
    const { redirectUri, userId, sessionId } = row
    const secrets: Sealed = JSON.parse(await cipher.open(row.sealed, sealContext(row.id)))
    return { provider, redirectUri, userId, sessionId, ...secrets }
  }

  return { begin, end }
}

const sealContext = (id: string) => `authorizationRequests/${id}`

import { timingSafeEqual } from 'node:crypto'
import { errorMessage, Problem } from '../core/errors.ts'
import type { Principal, Role } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Scope } from '../http/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import { type TokenRow, tokenRows } from './rows.ts'
import { createSharedRunnerToken, SHARED_TOKEN_ID } from './shared-runner-token.ts'
import { tokenHash, tokenIdIn } from './text.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  /** The setting RUNNER_TOKEN. */
  runnerToken?: string | undefined
  readAccountStatus: (userId: string) => Promise<{ role: Role; disabled: boolean } | undefined>
}

/** Often enough to tell used tokens from unused ones. */
const USE_WRITE_MS = 60_000

/** The principals of API tokens. */
export const createTokenPrincipals = (needs: Needs) => {
  const { store, clock, log, readAccountStatus } = needs
  const sharedRunnerToken = createSharedRunnerToken(needs.runnerToken)

  const findValidRow = async (text: string): Promise<TokenRow | undefined> => {
    const id = tokenIdIn(text)
    const row = id === undefined ? undefined : await store.get(tokenRows, id)
    return row !== undefined && isSame(row.hash, tokenHash(text)) && !hasExpired(row) ? row : undefined
  }

  const hasExpired = ({ expiresAt }: TokenRow) => expiresAt !== undefined && expiresAt <= iso(clock.now())

  /** A failed update of the time does not fail the request, and there is at most one write a minute. */
  const storeLastUse = async ({ id, lastUsedAt }: TokenRow): Promise<void> => {
    const now = clock.now()
    if (lastUsedAt !== undefined && now - Date.parse(lastUsedAt) < USE_WRITE_MS) return
    await store
      .commit<TokenRow>({
        update: tokenRows,
        key: id,
        when: { lastUsedAt: lastUsedAt ?? null },
        set: { lastUsedAt: iso(now) },
      })
      .catch((thrown) =>
        log.warn({ tokenId: id, reason: errorMessage(thrown) }, 'the last use of a token was not stored'),
      )
  }

  /** The role of the user who made a token; undefined for one who may not sign in. */
  const roleIn = async ({ userId }: TokenRow): Promise<Role | undefined> => {
    const status = await readAccountStatus(userId)
    return status?.disabled ? undefined : status?.role
  }

  const findUser = async (text: string, scope?: Scope): Promise<Principal | undefined> => {
    const row = await findValidRow(text)
    const role = row && (await roleIn(row))
    if (row === undefined || role === undefined) return undefined
    if (scope !== undefined && !row.scopes.includes(scope))
      throw new Problem(
        'forbidden',
        'scope_missing',
        `This API token lacks the scope ${scope}. Create a token with it`,
      )
    if (scope === 'runner' && role !== 'admin')
      throw new Problem('forbidden', 'admin_only', 'The owner of this API token is no longer an admin')
    if (scope !== undefined) await storeLastUse(row)
    const { userId, id: tokenId, rateLimit } = row
    return {
      userId,
      role,
      tokenId,
      ...(rateLimit === undefined ? {} : { callsPerMinute: rateLimit }),
    }
  }

  /**
   * The principal of an API token: the user who made it, while that account may sign in. Undefined for a text that is no
   * token, and for a revoked or expired token. Throws Problem `forbidden` `scope_missing` for a token without `scope`.
   * Without `scope` it only identifies the token's user, which does not count as a use. The shared token of runners has
   * the scope of runners alone, and no user.
   */
  const findPrincipal = async (text: string, scope?: Scope): Promise<Principal | undefined> =>
    (scope === 'runner' ? sharedRunnerToken.principal(text) : undefined) ?? findUser(text, scope)

  /** Whether the token of an earlier principal is still valid, and its user still has that role. */
  const holds = async ({ tokenId = '', role }: Principal): Promise<boolean> => {
    if (tokenId === SHARED_TOKEN_ID) return sharedRunnerToken.isSet
    const row = await store.get(tokenRows, tokenId)
    return row !== undefined && !hasExpired(row) && (await roleIn(row)) === role
  }

  return { findPrincipal, holds }
}

const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'))

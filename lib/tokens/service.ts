import { readRowCount } from '../core/collection.ts'
import { invalid, missing, Problem } from '../core/errors.ts'
import { countedPage, type PageQuery } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store, Update } from '../ports/store.ts'
import type { CreateToken } from './contract.ts'
import { TOKENS, type TokenRow, tokenRows, userTokenCounter } from './rows.ts'
import type { Token } from './schema.ts'
import { createSharedRunnerToken, SHARED_TOKEN_ID } from './shared-runner-token.ts'
import { tokenHash, tokenText } from './text.ts'

type Needs = {
  store: Store
  entropy: Entropy
  clock: Clock
  ids: Ids
  /** The operator's limit of a token at the gateway, in calls per minute; admins may set a higher one. */
  callsPerMinute: number
  /** The setting RUNNER_TOKEN. */
  runnerToken?: string | undefined
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

const DAY_MS = 86_400_000

export type Tokens = ReturnType<typeof createTokens>

/** API tokens: programs use the gateway or the webhooks with them, in the name of the user who made them. */
export const createTokens = (needs: Needs) => {
  const { store, entropy, clock, ids, callsPerMinute, audit } = needs
  const sharedRunnerToken = createSharedRunnerToken(needs.runnerToken)

  const refuseRate = ({ role }: Principal, rateLimit: number | undefined): void => {
    if (rateLimit === undefined || rateLimit <= callsPerMinute || role === 'admin') return
    const message = `must be at most ${callsPerMinute}, the limit of this service. Only admins can set more`
    throw invalid([{ path: 'rateLimit', message }])
  }

  /** A runner gets the tasks of all users, with the accounts of the code host that they have linked. */
  const refuseRunner = ({ role }: Principal, scopes: CreateToken['scopes']): void => {
    if (scopes.includes('runner') && role !== 'admin')
      throw new Problem('forbidden', 'admin_only', 'Only admins can create tokens with the scope runner')
  }

  /**
   * Makes a token. Only the answer has its text. Throws Problem `invalid` for a limit that its maker may not set, and
   * `forbidden` for the scope of runners, unless its maker is an admin.
   */
  const create = async (principal: Principal, { name, scopes, expiresInDays, rateLimit }: CreateToken) => {
    refuseRate(principal, rateLimit)
    refuseRunner(principal, scopes)
    const now = clock.now()
    const token: Token = {
      id: ids.next('tok'),
      name,
      userId: principal.userId,
      scopes: [...new Set(scopes)],
      ...(rateLimit === undefined ? {} : { rateLimit }),
      createdAt: iso(now),
      ...(expiresInDays === undefined ? {} : { expiresAt: iso(now + expiresInDays * DAY_MS) }),
    }
    const text = tokenText(token.id, entropy)
    await store.commit<TokenRow>({ insert: tokenRows, row: { ...token, hash: tokenHash(text) } })
    await audit(principal, 'token.create', auditDetails(token))
    return { token: text, ...token }
  }

  const list = async (principal: Principal, query: PageQuery) => {
    const { counter, ...selection } = tokenSelection(principal)
    const scope = `tokens:${selection.is ?? ''}`
    const { rows, facts } = await countedPage(query, scope, {
      page: (range) => store.page(tokenRows, { ...selection, order: 'desc', ...range }),
      count: () => readRowCount(store, counter),
    })
    return { tokens: rows.map(toToken), ...facts }
  }

  /** Revokes an own token, as an admin any. Throws `missing` for a token that the caller cannot see. */
  const revoke = async (principal: Principal, id: string): Promise<void> => {
    const row = await store.get(tokenRows, id)
    if (row === undefined || !mayRevoke(principal, row)) throw missing('Token')
    const { applied } = await store.commit<TokenRow>({ remove: tokenRows, key: id })
    if (!applied) throw missing('Token')
    await audit(principal, 'token.revoke', auditDetails(row))
  }

  return {
    create,
    list,
    revoke,
    /** Tokens of runners: each is bound to the runner that registers with it first, but for the shared one. */
    ofRunners: {
      exists: async (id: string): Promise<boolean> =>
        id === SHARED_TOKEN_ID ? sharedRunnerToken.isSet : (await store.get(tokenRows, id)) !== undefined,
      bindings: (id: string, runner: string): Update<TokenRow>[] =>
        id === SHARED_TOKEN_ID
          ? []
          : [{ update: tokenRows, key: id, when: { runner: [null, runner] }, set: { runner } }],
      runnerOf: async (id: string): Promise<string | undefined> => (await store.get(tokenRows, id))?.runner,
      remove: (id: string) => store.commit<TokenRow>({ remove: tokenRows, key: id }),
      isOfMany: (id: string): boolean => id === SHARED_TOKEN_ID,
    },
  }
}

const tokenSelection = ({ userId, role }: Principal): { index: string; is?: string; counter: string } =>
  role === 'admin'
    ? { index: 'newest', counter: TOKENS }
    : { index: 'ofUser', is: userId, counter: userTokenCounter(userId) }

const mayRevoke = ({ userId, role }: Principal, row: TokenRow) => role === 'admin' || row.userId === userId

const auditDetails = ({ id, name, userId, scopes }: Token) => ({ id, name, userId, scopes })

const toToken = ({ hash: _hash, ...token }: TokenRow): Token => token

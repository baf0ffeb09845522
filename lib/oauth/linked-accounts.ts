import { createHash } from 'node:crypto'
import type { AccountStatusOf } from '../accounts/schema.ts'
import { Problem } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Insert, Store, Update } from '../ports/store.ts'
import type { Profile, Provider, Tokens } from './provider.ts'
import { type LinkedAccountRow, linkedAccounts } from './rows.ts'

const MOST_ACCOUNTS = 200
/** How often a link that another request changes in between is read and decided on again. */
const TRIES = 20

type Needs = { store: Store; cipher: Cipher; clock: Clock; accountStatusOf: AccountStatusOf }

/** What is sealed. An access token that is renewed keeps the refresh token it came with, unless there is a new one. */
export type KeptTokens = Pick<Tokens, 'accessToken' | 'refreshToken'>

export type LinkedAccounts = ReturnType<typeof createLinkedAccounts>

/** The key of an account: hashed, since subjects may hold anything. Who is known stays so when the client is another. */
export const accountId = ({ name, realm }: Provider, subject: string): string =>
  createHash('sha256')
    .update(JSON.stringify([name, realm, subject]))
    .digest('hex')

/** Every account of a user, those linked last first. */
export const createAccountsOf =
  (store: Store) =>
  async (userId: string): Promise<LinkedAccountRow[]> => {
    const { rows } = await store.page(linkedAccounts, {
      index: 'ofUser',
      is: userId,
      order: 'desc',
      limit: MOST_ACCOUNTS,
    })
    return rows
  }

/** Accounts elsewhere: each belongs to one user, which the insert of its row decides. */
export const createLinkedAccounts = ({ store, cipher, clock, accountStatusOf }: Needs) => {
  const seal = (tokens: KeptTokens, id: string, userId: string) =>
    cipher.seal(JSON.stringify(tokens), contextOf(id, userId))

  /** The fields that hold tokens. */
  const tokenFields = async (
    tokens: Tokens | undefined,
    id: string,
    userId: string,
  ): Promise<Pick<LinkedAccountRow, 'tokens' | 'tokensExpireAt'>> => {
    if (tokens === undefined) return {}
    const { accessToken, refreshToken, expiresInMs } = tokens
    return {
      tokens: await seal({ accessToken, ...(refreshToken ? { refreshToken } : {}) }, id, userId),
      ...(expiresInMs === undefined ? {} : { tokensExpireAt: clock.now() + expiresInMs }),
    }
  }

  const rowOf = async (
    provider: Provider,
    userId: string,
    profile: Profile,
    tokens: Tokens | undefined,
  ): Promise<LinkedAccountRow> => {
    const id = accountId(provider, profile.subject)
    const { username, avatarUrl, workplace } = profile
    return {
      ...workplace,
      id,
      userId,
      provider: provider.name,
      realm: provider.realm,
      ...(provider.clientId === undefined ? {} : { clientId: provider.clientId }),
      linkedAt: iso(clock.now()),
      ...(username === undefined ? {} : { username }),
      ...(avatarUrl?.startsWith('https://') ? { avatarUrl } : {}),
      scopes: tokens?.scopes ?? [],
      version: 0,
      ended: false,
      ...(await tokenFields(tokens, id, userId)),
    }
  }

  /**
   * The write that makes the account the user's, with the newest tokens; it is refused when another user was faster. Throws
   * Problem `invalid` `account_taken` when it is another user's; an account whose owner is gone is free.
   */
  const linkOf = async (
    provider: Provider,
    userId: string,
    profile: Profile,
    tokens: Tokens | undefined,
  ): Promise<Insert<LinkedAccountRow> | Update<LinkedAccountRow>> => {
    const row = await rowOf(provider, userId, profile, tokens)
    const owner = (await store.get(linkedAccounts, row.id))?.userId
    if (owner === undefined) return { insert: linkedAccounts, row }
    if (owner !== userId && (await accountStatusOf(owner)) !== undefined) throw taken()
    return replaced(row, owner)
  }

  /** Makes the account the user's, with the newest tokens. Throws what `linkOf` throws. */
  const link = async (...of: Parameters<typeof linkOf>): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries++)
      if ((await store.commit<LinkedAccountRow>(await linkOf(...of))).applied) return
    throw taken()
  }

  /**
   * Whether the tokens that are there may do more than the new ones: who linked an account to write signs in with less, and
   * keeps what was linked.
   */
  const isWider = async (
    provider: Provider,
    userId: string,
    profile: Profile,
    tokens: Tokens | undefined,
  ): Promise<boolean> => {
    const row = await store.get(linkedAccounts, accountId(provider, profile.subject))
    const writes = provider.writes ?? (() => false)
    const isTheirs = row?.userId === userId && row.tokens !== undefined && !row.ended
    return isTheirs && writes(row.scopes) && !writes(tokens?.scopes ?? [])
  }

  return {
    ...{ linkOf, link, isWider },
    ofUser: createAccountsOf(store),
    get: (id: string) => store.get(linkedAccounts, id),
    tokenFields,
    openTokens: async ({ id, userId, tokens }: LinkedAccountRow): Promise<KeptTokens | undefined> =>
      tokens === undefined ? undefined : JSON.parse(await cipher.open(tokens, contextOf(id, userId))),
    /** False when it was not the user's any more. */
    remove: async ({ id, userId }: LinkedAccountRow): Promise<boolean> =>
      (await store.commit<LinkedAccountRow>({ remove: linkedAccounts, key: id, when: { userId } })).applied,
  }
}

/** Fields that a row may be without: one that the new row has not must go. */
const CLEARED = [
  'username',
  'avatarUrl',
  'tokens',
  'tokensExpireAt',
  'renewingUntil',
  'cloudId',
  'siteName',
  'workspaceId',
  'workspaceName',
  'teams',
] as const

const replaced = (row: LinkedAccountRow, owner: string): Update<LinkedAccountRow> => {
  const { id, version: _version, ...set } = row
  const unset = CLEARED.filter((field) => row[field] === undefined)
  return { update: linkedAccounts, key: id, when: { userId: owner }, set, unset, add: { version: 1 } }
}

const contextOf = (id: string, userId: string) => `linkedAccounts/${id}/${userId}`

const taken = () =>
  new Problem('invalid', 'account_taken', 'This account is linked to another user: unlink it there first')

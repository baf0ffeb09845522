import { hash } from 'node:crypto'
import type { ReadAccountStatus } from '../accounts/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Insert, Store, Update } from '../ports/store.ts'
import type { Profile, Provider, Tokens } from './provider.ts'
import { type LinkedAccountRow, linkedAccounts } from './rows.ts'

const MOST_ACCOUNTS = 200
/** The tries of a link that other requests change meanwhile. */
const TRIES = 20

type Needs = { store: Store; cipher: Cipher; clock: Clock; readAccountStatus: ReadAccountStatus }

/** The sealed tokens. A renewed access token keeps its refresh token, unless the answer has a new one. */
export type StoredTokens = Pick<Tokens, 'accessToken' | 'refreshToken'>

export type LinkedAccounts = ReturnType<typeof createLinkedAccounts>

/** A hash, since subjects may contain anything. A changed client keeps its users. */
export const accountId = ({ name, realm }: Provider, subject: string): string =>
  hash('sha256', JSON.stringify([name, realm, subject]))

export const createLinkedAccountLookup =
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

/** Linked accounts: each belongs to one user, which the insert of its row decides. */
export const createLinkedAccounts = ({ store, cipher, clock, readAccountStatus }: Needs) => {
  const seal = (tokens: StoredTokens, id: string, userId: string) =>
    cipher.seal(JSON.stringify(tokens), sealContext(id, userId))

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

  const newAccountRow = async (
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
      ...definedFields({ clientId: provider.clientId }),
      linkedAt: iso(clock.now()),
      ...definedFields({ username }),
      ...(avatarUrl?.startsWith('https://') ? { avatarUrl } : {}),
      scopes: tokens?.scopes ?? [],
      version: 0,
      ended: false,
      ...(await tokenFields(tokens, id, userId)),
    }
  }

  /**
   * The write that links the account to the user with the newest tokens; it is refused when another user won. Throws
   * Problem `invalid` `account_taken` for an account of another user; an account whose owner no longer exists is free.
   */
  const linkWrite = async (
    provider: Provider,
    userId: string,
    profile: Profile,
    tokens: Tokens | undefined,
  ): Promise<Insert<LinkedAccountRow> | Update<LinkedAccountRow>> => {
    const row = await newAccountRow(provider, userId, profile, tokens)
    const owner = (await store.get(linkedAccounts, row.id))?.userId
    if (owner === undefined) return { insert: linkedAccounts, row }
    if (owner !== userId && (await readAccountStatus(owner)) !== undefined) throw accountTaken()
    return replaceWrite(row, owner)
  }

  /** Links the account to the user with the newest tokens. Throws the errors of `linkWrite`. */
  const link = async (...of: Parameters<typeof linkWrite>): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries++)
      if ((await store.commit<LinkedAccountRow>(await linkWrite(...of))).applied) return
    throw accountTaken()
  }

  /** Whether the stored tokens may do more: one who linked for writing signs in with fewer scopes. */
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
    linkWrite,
    link,
    isWider,
    ofUser: createLinkedAccountLookup(store),
    get: (id: string) => store.get(linkedAccounts, id),
    tokenFields,
    openTokens: async ({ id, userId, tokens }: LinkedAccountRow): Promise<StoredTokens | undefined> =>
      tokens === undefined ? undefined : JSON.parse(await cipher.open(tokens, sealContext(id, userId))),
    /** False when it was no longer the user's. */
    remove: async ({ id, userId }: LinkedAccountRow): Promise<boolean> =>
      (await store.commit<LinkedAccountRow>({ remove: linkedAccounts, key: id, when: { userId } })).applied,
  }
}

/** Optional fields of a row: those that the new row lacks must be removed. */
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

const replaceWrite = (row: LinkedAccountRow, owner: string): Update<LinkedAccountRow> => {
  const { id, version: _version, ...set } = row
  const unset = CLEARED.filter((field) => row[field] === undefined)
  return { update: linkedAccounts, key: id, when: { userId: owner }, set, unset, add: { version: 1 } }
}

const sealContext = (id: string, userId: string) => `linkedAccounts/${id}/${userId}`

const accountTaken = () =>
  new Problem('invalid', 'account_taken', 'This account is linked to another user. Unlink it there first')

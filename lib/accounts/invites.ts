import { hash, timingSafeEqual } from 'node:crypto'
import { readRowCount } from '../core/collection.ts'
import { missing, Problem } from '../core/errors.ts'
import { countedPage, type PageQuery } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store, Update } from '../ports/store.ts'
import { emailKey } from './fields.ts'
import { INVITE_COUNTER, type InviteRow, invites, registrations } from './rows.ts'
import type { Invite, ReadAccountStatus } from './schema.ts'

const DAY_MS = 86_400_000
const SECRET_BYTES = 16
const SHOWN_MS = 90 * DAY_MS
const MOST_OF_EMAIL = 20

type Needs = {
  store: Store
  entropy: Entropy
  clock: Clock
  ids: Ids
  readAccountStatus: ReadAccountStatus
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
}

export type Invites = ReturnType<typeof createInvites>

/** Invites to register. A code is the invite's id and a secret of 128 bits. */
export const createInvites = ({ store, entropy, clock, ids, readAccountStatus, audit }: Needs) => {
  const create = async (
    principal: Principal,
    given: { email?: string | undefined; expiresInDays: number },
  ) => {
    const secret = entropy(SECRET_BYTES).toString('base64url')
    const now = clock.now()
    const expires = now + given.expiresInDays * DAY_MS
    const row: InviteRow = {
      id: ids.next('inv'),
      secretHash: digest(secret).toString('hex'),
      ...(given.email === undefined ? {} : { email: emailKey(given.email), shownEmail: given.email }),
      createdBy: principal.userId,
      createdAt: iso(now),
      expiresAt: iso(expires),
      keptUntil: expires + SHOWN_MS,
    }
    await store.commit<InviteRow>({ insert: invites, row })
    await audit(principal, 'invite.create', { inviteId: row.id, expiresAt: row.expiresAt })
    return { ...toInvite(row), code: `${row.id.slice(PREFIX.length)}-${secret}` }
  }

  const list = async (query: PageQuery) => {
    const { rows, facts } = await countedPage(query, 'invites', {
      page: (range) => store.page(invites, { index: 'newest', order: 'desc', ...range }),
      count: () => readRowCount(store, INVITE_COUNTER),
    })
    return { invites: rows.map(toInvite), ...facts }
  }

  const remove = async (principal: Principal, id: string): Promise<void> => {
    const { applied } = await store.commit<InviteRow>({ remove: invites, key: id })
    if (!applied) throw missing('Invite')
    await audit(principal, 'invite.delete', { inviteId: id })
  }

  const admits = ({ createdAt, expiresAt, email: only }: InviteRow, email: string) => {
    const until = Date.parse(expiresAt)
    const isInTime = leaseHolds(until, until - Date.parse(createdAt), clock.now())
    return isInTime && (only === undefined || only === email)
  }

  /** Unused, or used by the account of that address: a repeated request of its owner answers the account. */
  const isFreeFor = async ({ usedBy }: InviteRow, email: string) =>
    usedBy === undefined || (await store.get(registrations, email))?.userId === usedBy

  /** Whether the user who made it may still invite: an invite has the rights of its maker. */
  const hasValidMaker = async ({ createdBy }: InviteRow) => {
    const status = await readAccountStatus(createdBy)
    return status?.role === 'admin' && !status.disabled
  }

  /** The invite of a code. Throws Problem `invalid` `invalid_invite`, the same for each fault. */
  const ofCode = async (code: string, email: string): Promise<InviteRow> => {
    const at = code.indexOf('-')
    const row = at > 0 ? await store.get(invites, PREFIX + code.slice(0, at)) : undefined
    const stored = row ? Buffer.from(row.secretHash, 'hex') : NO_BYTES
    const isKnown = timingSafeEqual(digest(code.slice(at + 1)), stored)
    if (row === undefined || !isKnown || !admits(row, email)) throw invalidInvite()
    if (!(await isFreeFor(row, email)) || !(await hasValidMaker(row))) throw invalidInvite()
    return row
  }

  /** The invite for the address; a person who has proven to own the address needs no code. */
  const ofEmail = async (email: string): Promise<InviteRow | undefined> => {
    const selection = { index: 'ofEmail', is: email, order: 'desc', limit: MOST_OF_EMAIL } as const
    const { rows } = await store.page(invites, selection)
    for (const row of rows)
      if (row.usedBy === undefined && admits(row, email) && (await hasValidMaker(row))) return row
    return undefined
  }

  /** The write that uses up an invite for an account; it is refused when another use won. */
  const use = ({ id }: InviteRow, userId: string): Update<InviteRow> => ({
    update: invites,
    key: id,
    when: { usedBy: null },
    set: { usedBy: userId, usedAt: iso(clock.now()) },
  })

  return { create, list, remove, ofCode, ofEmail, use }
}

const PREFIX = 'inv_'
const NO_BYTES = Buffer.alloc(32)

const digest = (secret: string) => hash('sha256', secret, 'buffer')

export const invalidInvite = () =>
  new Problem(
    'invalid',
    'invalid_invite',
    'This invite is unknown, used, expired, or for another email address. Ask an admin for a new one',
  )

const toInvite = ({
  id,
  shownEmail: email,
  createdBy,
  createdAt,
  expiresAt,
  usedAt,
  usedBy,
}: InviteRow): Invite => ({
  id,
  email,
  createdBy,
  createdAt,
  expiresAt,
  usedAt,
  usedBy,
})

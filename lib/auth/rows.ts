import { collection } from '../core/collection.ts'

/**
 * A session: the token that hashes to `id` stands for that user until `expiresAt` (epoch milliseconds). `deviceId` is set
 * for the token of a paired device, `keyProof` for a session opened with ACCESS_KEY, `userAgent` when the browser named
 * itself, and `lastSeenAt`, to within a minute, once the token was used.
 */
export type SessionRow = {
  id: string
  userId: string
  createdAt: string
  expiresAt: number
  deviceId?: string
  keyProof?: string
  userAgent?: string
  lastSeenAt?: string
}

export const sessions = collection<SessionRow>({
  name: 'sessions',
  key: 'id',
  indexes: { ofUser: { within: 'userId', by: 'createdAt' } },
  expires: 'expiresAt',
})

/** A link that signs a phone in; the code that hashes to `id` is valid until `expiresAt`. Times are epoch milliseconds. */
export type PhoneLinkRow = {
  id: string
  userId: string
  /** The session that made it. */
  sessionId: string
  expiresAt: number
  usedAt?: string
  keptUntil: number
}

export const phoneLinks = collection<PhoneLinkRow>({
  name: 'phoneLinks',
  key: 'id',
  indexes: {},
  expires: 'keptUntil',
})

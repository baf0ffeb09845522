import { describe, expect, it } from '@jest/globals'
import { createAccessKey } from '../../lib/auth/access-key.ts'

/** A service whose key somebody changes while another's is being looked at. */
const openKey = () => {
  let stored = 'hash of old'
  let read = stored
  const sessions = new Set<string>()
  let whileComparing: () => unknown = () => undefined
  const accessKey = createAccessKey({
    mode: () => 'local',
    fixedKey: undefined,
    stored: {
      hash: () => read,
      replaceHash: async () => true,
      reread: async () => {
        read = stored
      },
    },
    passwords: {
      hash: async (key) => `hash of ${key}`,
      verify: async (key, hash) => {
        whileComparing()
        return hash === `hash of ${key}`
      },
    },
    sessions: {
      open: async () => {
        sessions.add('session')
        return { token: 'made', sessionId: 'session', expiresAt: 0 }
      },
      close: async (id) => sessions.delete(id),
      closeAll: async () => sessions.clear(),
    },
    countAttempt: async () => undefined,
    audit: async () => undefined,
    mayBeOpen: true,
  })
  const changeElsewhere = () => {
    stored = 'hash of new'
  }
  const changeWhileComparing = () => {
    whileComparing = changeElsewhere
  }
  return { accessKey, sessions, changeElsewhere, changeWhileComparing }
}

describe('a session for an access key', () => {
  it('is opened for the one that stands', async () => {
    const { accessKey, sessions } = openKey()
    expect((await accessKey.verify('old')).token).toBe('made')
    expect(sessions.size).toBe(1)
  })

  it('is opened for one that another process has just set', async () => {
    const { accessKey, changeElsewhere } = openKey()
    changeElsewhere()
    expect((await accessKey.verify('new')).token).toBe('made')
  })

  it('is not left open for one that another process has changed meanwhile', async () => {
    const { accessKey, sessions, changeWhileComparing } = openKey()
    changeWhileComparing()
    await expect(accessKey.verify('old')).rejects.toMatchObject({ code: 'wrong_access_key' })
    expect(sessions.size).toBe(0)
  })
})

import { Problem } from '../core/errors.ts'
import { ANONYMOUS, type Principal } from '../core/principal.ts'

type Needs = { audit: (principal: Principal, action: string, details: object) => Promise<void> }

/** How a caller tried to sign in, and from where. */
type Try = {
  with: 'password' | 'access-key' | 'current-password' | 'reset-code'
  address: string
  email?: string
}

/**
 * Takes note of attempts that were refused because of what was shown. Those over the limit are not among them, so there
 * are never more notes than there may be attempts.
 */
export const createNoteRefusals =
  ({ audit }: Needs) =>
  async <T>({ email, ...details }: Try, attempt: Promise<T>, principal = ANONYMOUS): Promise<T> => {
    try {
      return await attempt
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'unauthenticated')
        await audit(principal, 'auth.refused', {
          ...details,
          ...(email === undefined ? {} : { email: hidden(email) }),
        })
      throw thrown
    }
  }

const ADDRESS = /^([^\s@])[^\s@]*@((?:[a-z\d-]+\.)+[a-z]{2,})$/i

/** An e-mail address that who knows it recognises; nothing of any other text, which may be a password in its place. */
const hidden = (email: string): string => {
  const [, first, domain] = ADDRESS.exec(email.trim()) ?? []
  return first === undefined ? '***' : `${first}***@${domain}`
}

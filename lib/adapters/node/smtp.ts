import { CONTROLS } from '../../core/controls.ts'
import { errorMessage, Problem } from '../../core/errors.ts'
import { isLoopback } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Mail, Mailer } from '../../ports/mailer.ts'

/** Of the whole exchange; the steps have limits of their own. */
const LONGEST_SEND_MS = 15_000
const LONGEST_STEP_MS = 5_000

type Needs = { url: string; from: string; clock: Pick<Clock, 'after'> }

/** Sends by SMTP (RFC 5321), each message over a connection of its own. A password is sent over TLS only, but to this machine. */
export const createSmtp = ({ url, from, clock }: Needs): Mailer => {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const auth = username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }

  const open = async () => {
    // Loaded at the first message: most services send none.
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port: Number(port) || (secure ? 465 : 587),
      secure,
      requireTLS: auth !== '' && !isLoopback(host),
      ...(auth && { auth }),
      dnsTimeout: LONGEST_STEP_MS,
      connectionTimeout: LONGEST_STEP_MS,
      greetingTimeout: LONGEST_STEP_MS,
      socketTimeout: LONGEST_STEP_MS,
      // A message has text alone.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  const send = async ({ to, subject, text }: Mail): Promise<'sent' | 'refused'> => {
    const transport = await open()
    const { promise: late, reject } = Promise.withResolvers<never>()
    const cancel = clock.after(LONGEST_SEND_MS, () => {
      transport.close()
      reject(new Error('The mail server took too long'))
    })
    const mail = {
      from,
      // Given as an object, nodemailer takes it as one address: commas in it add no recipients.
      to: { name: '', address: to },
      subject: subject.split(CONTROLS).join(' '),
      text,
      headers: { 'Auto-Submitted': 'auto-generated' },
    }
    try {
      await Promise.race([transport.sendMail(mail), late])
      return 'sent'
    } catch (thrown) {
      if (isRefusal(thrown)) return 'refused'
      throw new Problem('unavailable', 'email_failed', `The email was not sent: ${errorMessage(thrown, 300)}`)
    } finally {
      cancel()
      transport.close()
    }
  }

  return { send }
}

/** A lasting answer (5xx) to the address or the message; one to the sign-in is for the operator to mend. */
const isRefusal = (thrown: unknown): boolean => {
  const { responseCode = 0, command = '' } = Object(thrown) as { responseCode?: number; command?: string }
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
}

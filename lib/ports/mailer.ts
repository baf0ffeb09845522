export type Mail = { to: string; subject: string; text: string }

/** Hands emails to a mail server. */
export interface Mailer {
  /**
   * Resolves once the server took the message, and to `refused` when it will never take it for this address. Takes 15 s at
   * most. Throws Problem `unavailable` `email_failed` when there is no answer, or one that may change. No text of a message
   * adds a header or an address.
   */
  send(mail: Mail): Promise<'sent' | 'refused'>
}

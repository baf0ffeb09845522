/**
 * Authenticated encryption of secrets at rest (AES-256-GCM). A sealed text names its key: older texts stay readable after
 * a change of keys.
 */
export interface Cipher {
  /** `context` says what the text is (such as `connections/user_1/codehost`); a text opens only with the same context. */
  seal(text: string, context: string): Promise<string>
  /** Throws Problem `unavailable` `sealed_text_unreadable` for a changed text, or one whose key is missing. */
  open(sealed: string, context: string): Promise<string>
}

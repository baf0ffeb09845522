/**
 * Authenticated encryption of secrets at rest (AES-256-GCM). A sealed text names the key it was made with, so that
 * keys can be changed while older texts can still be read.
 */
export interface Cipher {
  /** `context` says what the text is (such as `connections/user_1/codehost`); opening it as anything else fails. */
  seal(text: string, context: string): Promise<string>
  /** Throws Problem `unavailable` `sealed_text_unreadable` for one that was changed, or whose key is not there. */
  open(sealed: string, context: string): Promise<string>
}

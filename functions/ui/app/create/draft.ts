type Draft = Readonly<Record<string, string>>

// Outside of the form, so that closing the form keeps what was typed.
let kept: Draft = {}
let sent = { text: '', key: '' }

/** What was typed into the form and is not sent yet. */
export const draft = (): Draft => kept

export const keepDraft = (form: Iterable<[string, FormDataEntryValue]>) => {
  kept = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]))
}

/** After it was sent, or given up. */
export const dropDraft = () => {
  kept = {}
  sent = { text: '', key: '' }
}

const newKey = () => `page-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

/** A key for what is sent: what is sent again unchanged, since its answer was lost, has the same and makes one task. */
export const keyOf = (body: object): string => {
  const text = JSON.stringify(body)
  if (sent.text !== text) sent = { text, key: newKey() }
  return sent.key
}

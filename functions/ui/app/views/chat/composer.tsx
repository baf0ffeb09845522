import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useNarrow } from '../../components/narrow.ts'
import type { TurnRequest } from '../../data/turns.ts'
import { keepDraft, savedDraft, turnRequest, useOptions } from './draft.ts'
import { TurnOptions } from './turn-options.tsx'

type Props = {
  /** The key of the draft. */
  id: string
  /** A refused message, to send again. */
  refused?: string | undefined
  onSend: (request: TurnRequest) => void
  /** Why sending is disabled. */
  blocked?: string | undefined
  onStop?: (() => void) | undefined
  isStopping?: boolean
}

export const Composer = ({ id, refused = '', onSend, blocked, onStop, isStopping = false }: Props) => {
  // The keyboard of a phone would cover half of the conversation.
  const isNarrow = useNarrow()
  const options = useOptions()
  const [text, setText] = useState(() => savedDraft(id) || refused)
  const type = (next: string) => {
    setText(next)
    keepDraft(id, next)
  }
  const send = () => {
    if (blocked !== undefined || text.trim() === '') return
    onSend(turnRequest(text, options))
    type('')
  }
  const answer = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Leaves the field, so that page keys work again.
    if (event.key === 'Escape') return event.currentTarget.blur()
    // Enter confirms input method composition.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      aria-label="Message"
      className="mx-auto w-full max-w-3xl px-4 pb-3 md:px-6"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="rounded-lg border border-input bg-card focus-within:border-ring">
        <textarea
          aria-label="Message"
          // biome-ignore lint/a11y/noAutofocus: who opens a conversation is here to say something.
          autoFocus={!isNarrow}
          rows={2}
          value={text}
          onChange={({ target }) => type(target.value)}
          onKeyDown={answer}
          placeholder={
            isNarrow ? 'What should it do?' : 'What should it do? Enter sends, Shift+Enter starts a new line'
          }
          className="block max-h-[35vh] min-h-14 w-full resize-none bg-transparent px-3 py-2.5 text-base outline-none [field-sizing:content] placeholder:text-muted-foreground"
        />
        <div className="flex flex-wrap items-center gap-1.5 px-2 pb-2">
          <TurnOptions options={options} />
          <span className="ml-auto" />
          {onStop && (
            <Button needsService kind="danger" size="small" disabled={isStopping} onClick={onStop}>
              <Square size={12} /> Stop
            </Button>
          )}
          {(!onStop || blocked === undefined) && (
            <Button
              kind="primary"
              size="small"
              type="submit"
              disabled={blocked !== undefined || text.trim() === ''}
              title={blocked ?? 'Send (Enter)'}
            >
              <ArrowUp size={14} /> Send
            </Button>
          )}
        </div>
      </div>
    </form>
  )
}

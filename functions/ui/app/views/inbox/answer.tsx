import { type FormEvent, useId, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { inputClass } from '../../components/field.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { ScrolledText } from '../../components/scrolled-text.tsx'
import { SuggestedAnswers } from '../../components/suggested-answers.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { toast } from '../../components/toast.tsx'
import type { InboxItemOf } from '../../data/inbox.ts'
import { dropReply, keepReply, replyKey, useDraft } from '../../data/reply-drafts.ts'
import { toThreadId, useReply } from '../../data/threads.ts'

/** Whether the heading of a question has all of its text. */
const isInHeading = (text: string) => startOfLine(text) === text && !text.includes('\n')

/** The suggested answers of a question, and a field for another one. What is sent is a reply to its task. */
export const Answer = ({ item }: { item: InboxItemOf<'question'> }) => {
  const { question, task } = item
  const threadId = toThreadId(task)
  const content = useDraft(threadId)
  const { mutateAsync, error, isPending, reset } = useReply()
  const form = useRef<HTMLFormElement>(null)
  const status = useId()
  const send = async (answer: string) => {
    const next = neighbour(form.current)
    try {
      await mutateAsync({ taskId: task.id, content: answer, key: replyKey(threadId, answer) })
      dropReply(threadId, answer)
      toast.done('Answer sent', startOfLine(task.title))
      // The item leaves the list.
      next?.focus()
    } catch {
      // The form shows it.
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isPending && content.trim() !== '') void send(content)
  }
  return (
    <form ref={form} noValidate onSubmit={submit} className="relative z-1 flex flex-col gap-2 pt-2">
      {!isInHeading(question.text) && <ScrolledText label="Question" text={question.text} />}
      <SuggestedAnswers
        options={question.options ?? []}
        isBusy={isPending}
        onAnswer={(option) => void send(option)}
      />
      <div className="flex max-w-4xl items-center gap-2">
        <input
          aria-label="Answer"
          aria-describedby={status}
          aria-invalid={error ? true : undefined}
          placeholder="Your answer"
          value={content}
          onChange={({ target }) => {
            keepReply(threadId, target.value)
            if (error) reset()
          }}
          onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
          className={inputClass}
        />
        <Button type="submit" disabled={isPending || content.trim() === ''}>
          Answer
        </Button>
      </div>
      <p id={status} role="status" className="text-destructive empty:hidden">
        {error && errorMessage(error)}
      </p>
    </form>
  )
}

/** The link of the row after that of the form, else of the one before it. */
const neighbour = (form: HTMLFormElement | null): HTMLElement | undefined => {
  const own = form?.closest('[data-item]')?.querySelector<HTMLElement>('[data-row-link]')
  const links = [...document.querySelectorAll<HTMLElement>('[data-row-link]')]
  const at = own ? links.indexOf(own) : -1
  return links[at + 1] ?? links[at - 1]
}

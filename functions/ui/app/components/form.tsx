import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'

/** What was typed, by the name of the field. */
export type Texts = Readonly<Record<string, string>>

type Props = {
  label: string
  onSend: (texts: Texts, form: HTMLFormElement) => void
  /** What the service said of what was sent last: the first field it concerns gets the focus. */
  error?: unknown
  className?: string
  children: ReactNode
}

/** A form that Enter sends. What is wrong with its fields the service says, not the browser. */
export const Form = ({ label, onSend, error, className = 'flex flex-col gap-3', children }: Props) => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)])
    onSend(Object.fromEntries(given), event.currentTarget)
  }
  return (
    <form ref={form} aria-label={label} noValidate onSubmit={send} className={className}>
      {children}
    </form>
  )
}

/** Only what something was typed into. */
export const given = (texts: Texts): Texts =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([name, text]) => [name, text.trim()] as const)
      .filter(([, text]) => text !== ''),
  )

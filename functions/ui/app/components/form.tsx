import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'

/** Values by field name. */
export type Texts = Readonly<Record<string, string>>

type Props = {
  label: string
  onSend: (texts: Texts, form: HTMLFormElement) => void
  /** The first field that the error names gets focus. */
  error?: unknown
  className?: string
  children: ReactNode
}

/** Validation is the service's, not the browser's. */
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

/** The fields that are not empty, trimmed. */
export const given = (texts: Texts): Texts =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([name, text]) => [name, text.trim()] as const)
      .filter(([, text]) => text !== ''),
  )

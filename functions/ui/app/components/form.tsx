import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'

/** Values by field name. */
export type Texts = Readonly<Record<string, string>>

type Props = {
  label: string
  onSend: (texts: Texts, form: HTMLFormElement) => void
  /** What is typed, as it is typed. */
  onType?: (texts: Texts) => void
  /** The first field that the error names gets focus. */
  error?: unknown
  className?: string
  children: ReactNode
}

/** Validation is the service's, not the browser's. */
export const Form = ({
  label,
  onSend,
  onType,
  error,
  className = 'flex flex-col gap-3',
  children,
}: Props) => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSend(textsIn(event.currentTarget), event.currentTarget)
  }
  return (
    <form
      ref={form}
      aria-label={label}
      noValidate
      onSubmit={send}
      onInput={onType && (({ currentTarget }) => onType(textsIn(currentTarget)))}
      className={className}
    >
      {children}
    </form>
  )
}

const textsIn = (form: HTMLFormElement): Texts =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))

/** The fields that are not empty, trimmed. */
export const given = (texts: Texts): Texts =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([name, text]) => [name, text.trim()] as const)
      .filter(([, text]) => text !== ''),
  )

import type { ComponentProps, ReactNode } from 'react'

export const inputClass =
  'h-8 w-full min-w-0 rounded-md border border-input bg-background px-2.5 placeholder:text-muted-foreground aria-invalid:border-destructive'

type Frame = { label: string; error?: string | undefined; hint?: ReactNode; children: ReactNode }

export const Field = ({ label, error, hint, children }: Frame) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among its children.
  <label className="flex min-w-0 flex-1 flex-col gap-1">
    <span className="font-medium">{label}</span>
    {children}
    {error ? <span className="text-destructive">{error}</span> : null}
    {hint && !error ? <span className="text-xs text-muted-foreground">{hint}</span> : null}
  </label>
)

type Text = ComponentProps<'input'> & { label: string; error?: string | undefined; hint?: ReactNode }

export const TextField = ({ label, error, hint, className = '', ...rest }: Text) => (
  <Field label={label} error={error} hint={hint}>
    <input className={`${inputClass} ${className}`} aria-invalid={error ? true : undefined} {...rest} />
  </Field>
)

type Area = ComponentProps<'textarea'> & { label: string; error?: string | undefined; hint?: ReactNode }

export const AreaField = ({ label, error, hint, className = '', ...rest }: Area) => (
  <Field label={label} error={error} hint={hint}>
    <textarea
      className={`${inputClass} h-auto resize-y py-1.5 ${className}`}
      aria-invalid={error ? true : undefined}
      {...rest}
    />
  </Field>
)

type Choice = ComponentProps<'select'> & { label: string; error?: string | undefined }

export const SelectField = ({ label, error, className = '', ...rest }: Choice) => (
  <Field label={label} error={error}>
    <select className={`${inputClass} ${className}`} {...rest} />
  </Field>
)

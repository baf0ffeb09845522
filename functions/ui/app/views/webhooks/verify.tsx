import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { switchLinkClass } from '../../components/button.tsx'
import { Copy } from '../../components/copy.tsx'
import { LongText } from '../../components/long-text.tsx'
import { Panel } from '../../components/view.tsx'
import { useWebhook } from '../../data/webhooks.ts'
import { type Language, languages, type VerifySearch, type Way, ways } from './languages.ts'
import { snippets } from './snippets.ts'

const code = (text: string) => <code className="font-mono [overflow-wrap:anywhere]">{text}</code>

const meaning: Readonly<Record<Way, ReactNode>> = {
  standard: (
    <>
      As in{' '}
      <a
        href="https://www.standardwebhooks.com"
        target="_blank"
        rel="noreferrer"
        className="underline underline-offset-2"
      >
        Standard Webhooks
      </a>
      : the signature covers id and time, so recorded deliveries cannot be replayed later, and a rotation
      rejects nothing. Its libraries verify it as well; they take the secret in base64, as{' '}
      {code("new Webhook(Buffer.from(secret).toString('base64'))")} in Node.
    </>
  ),
  simple: (
    <>
      An HMAC-SHA256 of the body with the newest secret. It does not cover the time: store each handled{' '}
      {code('webhook-id')} and drop duplicates.
    </>
  ),
}

export const Verify = (): ReactNode => {
  const { id } = useParams({ from: '/settings/webhooks/$id' })
  const { language = 'node', way = 'standard' } = useSearch({ from: '/settings/webhooks/$id/verify' })
  const { data } = useWebhook(id)
  const text = snippets[language][way]
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        {data && data.secret === undefined && (
          <p role="note" className="rounded-md border bg-muted/60 px-3 py-2">
            Deliveries of this webhook are not signed.{' '}
            <Link
              to="/settings/webhooks/$id/settings"
              params={{ id }}
              className="underline underline-offset-2"
            >
              Generate a secret
            </Link>{' '}
            first.
          </p>
        )}
        <Panel title="Verify signatures" aside={<Copy text={text} label="Copy the code" />}>
          <div className="flex flex-col gap-3 p-3.5">
            <div className="flex flex-wrap gap-x-6 gap-y-1">
              <Choices
                label="Languages"
                names={languages}
                now={language}
                searchFor={(name) => ({ language: name })}
              />
              <Choices label="Headers" names={ways} now={way} searchFor={(name) => ({ way: name })} />
            </div>
            <p className="text-muted-foreground">{meaning[way]}</p>
            <LongText label={`Code in ${languages[language]}`} text={text} />
            <p className="text-muted-foreground">
              Respond 2xx within 15 seconds, then do the work. A redelivery has the same {code('webhook-id')}.
            </p>
          </div>
        </Panel>
      </div>
    </div>
  )
}

type ChoicesProps<Name extends Language | Way> = {
  label: string
  names: Readonly<Record<Name, string>>
  now: Name
  searchFor: (name: Name) => VerifySearch
}

/** Choices are part of the address, so that it can be shared. */
const Choices = <Name extends Language | Way>({ label, names, now, searchFor }: ChoicesProps<Name>) => (
  <nav aria-label={label} className="flex gap-1">
    {(Object.keys(names) as Name[]).map((name) => (
      <Link
        key={name}
        from="/settings/webhooks/$id/verify"
        to="."
        search={(before) => ({ ...before, ...searchFor(name) })}
        replace
        aria-current={name === now ? 'page' : undefined}
        className={switchLinkClass}
      >
        {names[name]}
      </Link>
    ))}
  </nav>
)

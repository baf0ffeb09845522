import { Link } from '@tanstack/react-router'
import { switchLinkClass } from '../../components/button.tsx'
import { Copy } from '../../components/copy.tsx'
import { LongText } from '../../components/long-text.tsx'
import { type Language, languages } from './languages.ts'
import { type Call, callSnippet } from './snippets.ts'

/** The language is part of the address. */
export const CodeTabs = ({ call, language }: { call: Call; language: Language }) => {
  const text = callSnippet(language, call, location.origin)
  return (
    <div className="flex flex-col gap-2 p-3.5">
      <div className="flex items-center justify-between gap-2">
        <nav aria-label="Languages" className="flex gap-1">
          {(Object.keys(languages) as Language[]).map((name) => (
            <Link
              key={name}
              from="/docs/api/$operation"
              to="."
              search={{ code: name }}
              replace
              aria-current={name === language ? 'page' : undefined}
              className={switchLinkClass}
            >
              {languages[name]}
            </Link>
          ))}
        </nav>
        <Copy text={text} label="Copy the code" />
      </div>
      <LongText label={`The call in ${languages[language]}`} text={text} />
    </div>
  )
}

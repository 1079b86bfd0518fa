import { StartError } from '../shared/start-error.ts';
import { placeOf } from './connection-options.ts';
import { isDatabaseError } from './errors.ts';
import { explainTlsError } from './explain-tls-error.ts';
import { endLongTransactions } from './while-locked.ts';

/**
 * Converts an error of an external database at the start into a `StartError` that tells the operator what to do. Other
 * errors are returned unchanged. No message contains the password of `url`.
 */
export function explainDatabaseError(url: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StartError) return error;
  if (!isDatabaseError(error)) return error;
  const { server, database } = placeOf(url);
  const where = `The PostgreSQL of DATABASE_URL (${server})`;
  const code = 'code' in error ? String(error.code) : '';
  // The message is empty if a host name has several addresses and all of them failed.
  const said = (error.message || code).replace(/^.*? - /s, '');
  const aboutTls = explainTlsError(url, error);
  if (aboutTls !== null) return new StartError(`${where} ${aboutTls}`);
  switch (code) {
    case '42P01':
    case '42703':
      return new StartError(
        `The database ${database} of DATABASE_URL does not have the gateway's tables, or only older ones. Bring ` +
          `it up to date with: npm run migrate`,
      );
    case '3D000':
      return new StartError(`${where} has no such database (${said}). Create it, or correct DATABASE_URL.`);
    case '28P01':
    case '28000':
      return new StartError(`${where} does not let this user in (${said}). Correct user and password in DATABASE_URL.`);
    case '42501':
      return new StartError(
        `${where} does not allow this user what the gateway needs (${said}). Grant it those rights.`,
      );
    case '55P03':
      return new StartError(
        `${where} has a table that another transaction keeps locked (${said}). ${endLongTransactions}, then run the command again.`,
      );
    default:
      return new StartError(
        `${where} cannot be used (${said}). Start it, or correct DATABASE_URL; then start the gateway again.`,
      );
  }
}

import { isWithinBounds } from '../../shared/bounded-json.ts';
import type { BodyReader } from '../bodies/body-reader.ts';
import { nodeExchange } from '../node-request.ts';
import { Problem } from '../problem.ts';

/** Far more than any admin body needs. */
const maxBodyBytes = 256 * 1024;
/**
 * Far more than any admin body needs. Code that visits every value is recursive; thousands of levels overflow its
 * stack.
 */
const maxLevels = 100;

/**
 * Reads the JSON body of an admin request. Returns null for an empty body of any content type: on undefined, Elysia
 * would try its other parsers.
 *
 * @throws Problem `unsupported_media_type`, `payload_too_large`, `overloaded`, `malformed_json`, or `invalid` when the
 *   body is nested too deeply.
 */
export async function readJsonBody(bodies: BodyReader, request: Request, contentType: string): Promise<unknown> {
  const bytes = await bodies.read(...nodeExchange(request), maxBodyBytes);
  if (bytes.length === 0) return null;
  if (contentType.trim().toLowerCase() !== 'application/json')
    throw new Problem('unsupported_media_type', 'the content type must be application/json');
  if (!isWithinBounds(bytes, { levels: maxLevels }))
    throw new Problem('invalid', `the body is nested more than ${maxLevels} levels deep`);
  return parse(bytes);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new Problem(
      'malformed_json',
      error instanceof SyntaxError ? 'the body is not valid JSON' : 'the body is not valid UTF-8',
    );
  }
}

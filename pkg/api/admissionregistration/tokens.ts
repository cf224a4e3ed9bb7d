import { tokenOf } from '../resource-definition.ts';
import { mutatingAdmissionPolicyBinding } from './mutating-admission-policy-binding/mutating-admission-policy-binding.ts';
import { mutatingAdmissionPolicy } from './mutating-admission-policy/mutating-admission-policy.ts';
import { mutatingWebhookConfiguration } from './mutating-webhook-configuration/mutating-webhook-configuration.ts';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding/validating-admission-policy-binding.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy/validating-admission-policy.ts';
import { validatingWebhookConfiguration } from './validating-webhook-configuration/validating-webhook-configuration.ts';

export const mutatingAdmissionPolicies = tokenOf(mutatingAdmissionPolicy);
export const mutatingAdmissionPolicyBindings = tokenOf(mutatingAdmissionPolicyBinding);
export const mutatingWebhookConfigurations = tokenOf(mutatingWebhookConfiguration);
export const validatingAdmissionPolicies = tokenOf(validatingAdmissionPolicy);
export const validatingAdmissionPolicyBindings = tokenOf(validatingAdmissionPolicyBinding);
export const validatingWebhookConfigurations = tokenOf(validatingWebhookConfiguration);
